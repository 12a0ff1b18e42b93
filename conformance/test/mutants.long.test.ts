import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { mutants } from '../mutants/catalogue.ts'

const main = fileURLToPath(new URL('../mutants/main.js', import.meta.url))

test('every mutant is killed by the property named for it', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--json'])
  const { length } = mutants
  assert.deepEqual(JSON.parse(stdout), { mutants: length, killed: length, survivors: [] })
})
