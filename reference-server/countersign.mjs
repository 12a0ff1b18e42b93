#!/usr/bin/env node
// Committed, so that npm can link the command before anything is built.
import { main } from './dist/programs/countersign.js'

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1))

process.exitCode = await main(process.argv.slice(2), {
  environment: process.env,
  input: process.stdin,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
