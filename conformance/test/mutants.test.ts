import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { mutants } from '../mutants/catalogue.ts'
import { properties } from '../simulator/properties.ts'

const script = fileURLToPath(new URL('../mutants/try-mutant.js', import.meta.url))
const main = fileURLToPath(new URL('../mutants/main.js', import.meta.url))
const core = new URL('../../../core/dist/', import.meta.url)

test('each mutant has a name of its own, a known property and a place in the code', () => {
  assert.ok(mutants.length >= 30, `${mutants.length} mutants`)
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length)
  for (const { name, property, patches = [] } of mutants) {
    assert.ok(property in properties, name)
    for (const { file, find } of patches) {
      const places = readFileSync(new URL(file, core), 'utf8').split(find).length - 1
      assert.equal(places, 1, `${name}: ${JSON.stringify(find)} in ${file}`)
    }
  }
})

/** A few of every kind; `npm run mutants` tries them all. */
const sample = [
  'no checks',
  'head by arrival',
  'dual write',
  'answer before the commit',
  'an impatient schedule',
]

for (const name of sample)
  test(`a mutant is killed by the property named for it: ${name}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, name, '150'])
    const { killed, broken } = JSON.parse(stdout) as { killed: boolean; broken: string[] }
    assert.ok(killed, `broken were ${broken.join(', ') || 'none'}`)
  })

test('a patch whose place is gone is an error, not a survivor', async () => {
  const { load, initialize } = await import('../mutants/patching-loader.ts')
  initialize([{ file: 'review/machine.js', find: 'not there', put: '' }])
  const next = () => Promise.resolve({ format: 'module', source: 'export {}' })
  await assert.rejects(load('file:///x/core/dist/review/machine.js', {}, next), /found it 0 times/)
  assert.equal((await load('file:///x/core/dist/review/rows.js', {}, next)).source, 'export {}')
})

test('a mutant that survives fails the whole, and is named', () => {
  const flags = ['--json', '--only', 'one secret of two', '--seeds', '1']
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...flags], {
    encoding: 'utf8',
  })
  // One seed is too few for this one.
  assert.equal(stdout, '{"mutants":1,"killed":0,"survivors":["one secret of two"]}\n')
  assert.match(stderr, /SURVIVES {2}one secret of two: expected both secrets sign/)
  assert.equal(status, 1)
})
