import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A directory that is gone when the tests of this file are through; called outside of hooks and tests. */
export function scratchDirectory(): string {
  const directory = makeDirectory()
  after(() => removeDirectory(directory))
  return directory
}

/** A directory in memory where there is such a place; whoever makes it removes it. */
export function makeDirectory(): string {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  return mkdtempSync(join(place, 'countersign-processes-'))
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}
