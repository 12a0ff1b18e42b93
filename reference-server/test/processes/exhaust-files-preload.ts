import { closeSync, openSync } from 'node:fs'

/** SIGWINCH takes every file descriptor that the process may have, the next one gives them back. */
const taken: number[] = []

process.on('SIGWINCH', () => {
  if (taken.length > 0) {
    for (const file of taken.splice(0)) closeSync(file)
    process.stderr.write('released\n')
    return
  }
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'))
  } catch {
    process.stderr.write('exhausted\n')
  }
})
