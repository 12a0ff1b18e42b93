import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A directory that is gone when the tests of this file are through; in memory where there is such a place. */
export function scratchDirectory(): string {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const directory = mkdtempSync(join(place, 'countersign-processes-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
