#!/usr/bin/env node
// Committed, so that the command is there and can be run before anything is built.
import { main } from './dist/verify/command.js'

/** EX_SOFTWARE of sysexits: the command itself died, and nothing is said about what it was given. */
const died = 70

// Whoever reads the output may have seen enough, as `head` has.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : died))

// Node's own status for it is 1, which says that something is wrong with a file.
process.on('uncaughtException', (error) => {
  console.error('countersign-verify died of a fault of its own:', error)
  process.exit(died)
})

main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
}).then(
  (status) => {
    process.exitCode = status
  },
  (error) => {
    console.error('countersign-verify died of a fault of its own:', error)
    process.exitCode = died
  },
)
