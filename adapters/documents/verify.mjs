#!/usr/bin/env node
// Committed, so that the command is there and can be run before anything is built.
import { main } from './dist/verify/command.js'

// Whoever reads the output may have seen enough, as `head` has.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 3))

main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
}).then(
  (status) => {
    process.exitCode = status
  },
  (error) => {
    console.error(error)
    process.exitCode = 3
  },
)
