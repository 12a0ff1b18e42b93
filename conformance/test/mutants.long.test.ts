import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { mutants } from '../mutants/catalogue.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const main = fileURLToPath(new URL('../mutants/main.js', import.meta.url))

test('every mutant is killed by the property named for it', async () => {
  const parts = whole ? 1 : 6
  const part = 1 + (Math.abs(Number(seed)) % parts)
  const { stdout } = await promisify(execFile)(process.execPath, [
    main,
    '--json',
    `--part=${part}/${parts}`,
  ])
  const { length } = mutants.filter((_, at) => at % parts === part - 1)
  assert.ok(length > mutants.length / (parts + 1), `${length} mutants`)
  assert.deepEqual(JSON.parse(stdout), { mutants: length, killed: length, survivors: [] })
})
