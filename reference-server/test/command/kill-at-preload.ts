import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Kills the process before the nth change of a file's name or bytes (KILL_AT, from 1), or waits there (WAIT_AT) for the
// file WAIT_FOR. SQLite's own writes are not counted.
const killAt = Number(process.env.KILL_AT ?? 0)
const waitAt = Number(process.env.WAIT_AT ?? 0)
let steps = 0

function step(): void {
  steps += 1
  if (steps === killAt) process.kill(process.pid, 'SIGKILL')
  if (steps !== waitAt) return
  process.stderr.write('waiting\n')
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  while (!fs.existsSync(process.env.WAIT_FOR ?? '')) Atomics.wait(nothing, 0, 0, 5)
}

const { link, rename } = fs.promises

Object.assign(fs.promises, {
  link: async (...args: Parameters<typeof link>) => {
    step()
    await link(...args)
  },
  rename: async (...args: Parameters<typeof rename>) => {
    step()
    await rename(...args)
  },
})

const { renameSync, linkSync, rmSync, copyFileSync, writeSync } = fs

Object.assign(fs, {
  renameSync: (...args: Parameters<typeof renameSync>) => {
    step()
    renameSync(...args)
  },
  linkSync: (...args: Parameters<typeof linkSync>) => {
    step()
    linkSync(...args)
  },
  rmSync: (...args: Parameters<typeof rmSync>) => {
    if (fs.existsSync(args[0])) step()
    rmSync(...args)
  },
  copyFileSync: (...args: Parameters<typeof copyFileSync>) => {
    step()
    copyFileSync(...args)
  },
  writeSync: (...args: Parameters<typeof writeSync>) => {
    step()
    return writeSync(...args)
  },
})
syncBuiltinESMExports()
