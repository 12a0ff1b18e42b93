import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

/**
 * A directory, in memory where there is such a place, that is gone when this process ends. A hook would remove it too
 * early: hooks run in the order of their definition, and those that end the servers on it are defined later.
 */
export function scratchDirectory(): string {
  if (made.length === 0)
    process.once('exit', () => {
      for (const directory of made) rmSync(directory, { recursive: true, force: true })
    })
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const directory = mkdtempSync(join(place, 'countersign-processes-'))
  made.push(directory)
  return directory
}
