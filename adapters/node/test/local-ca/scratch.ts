import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A directory of its own, gone when the test ends. */
export function scratch(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-ca-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
