import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

let made = 0

/**
 * Names of files that are gone when the tests of this process are through; in memory where there is such a
 * place, for these tests look at what is kept and not at what a sync costs.
 */
export function scratch(): (name: string) => string {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const directory = mkdtempSync(join(place, 'countersign-sqlite-'))
  after(() => rmSync(directory, { recursive: true }))
  return (name) => join(directory, `${++made}-${name}`)
}
