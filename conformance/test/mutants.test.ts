import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { mutants } from '../mutants/catalogue.ts'
import { properties } from '../simulator/properties.ts'

const script = fileURLToPath(new URL('../mutants/try-mutant.js', import.meta.url))
const main = fileURLToPath(new URL('../mutants/main.js', import.meta.url))
const core = new URL('../../../core/dist/', import.meta.url)

test('each mutant has a name of its own and a known property', () => {
  assert.ok(mutants.length >= 30, `${mutants.length} mutants`)
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length)
  for (const { name, property } of mutants) assert.ok(property in properties, name)
})

test('each wrapped export is one of the core that the simulator runs', async () => {
  for (const { name, parts = {} } of mutants)
    for (const [path, wrappers] of Object.entries(parts)) {
      const original = (await import(new URL(`${path}.js`, core).href)) as object
      for (const wrapped of Object.keys(wrappers))
        assert.ok(wrapped in original, `${name}: core/${path}.ts exports no ${wrapped}`)
    }
})

/** A broken way to the store and a wrapped module; the long test tries all of them. */
const sample = ['no checks', 'a seal over no steps']

for (const name of sample)
  test(`a mutant is killed by the property named for it: ${name}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, name, '150'])
    const { killed, broken } = JSON.parse(stdout) as { killed: boolean; broken: string[] }
    assert.ok(killed, `broken were ${broken.join(', ') || 'none'}`)
  })

test('a wrapped module exports what it did, with the wrapped form in the place of the original', async () => {
  const { load, initialize } = await import('../mutants/wrapping-loader.ts')
  initialize({ 'review/machine/machine': ['decide'] })
  const next = () => Promise.resolve({ format: 'module', source: 'export {}' })
  const url = 'file:///x/core/dist/review/machine/machine.js'
  const { source } = await load(url, {}, next)
  assert.match(
    String(source),
    /^export \* from "file:\/\/\/x\/core\/dist\/review\/machine\/machine\.js\?original"$/m,
  )
  assert.match(String(source), /^export const decide = /m)
  assert.equal((await load(`${url}?original`, {}, next)).source, 'export {}')
  assert.equal(
    (await load('file:///x/core/dist/review/machine/transitions.js', {}, next)).source,
    'export {}',
  )
})

test('a wrapper of what the core does not export is an error, not a survivor', () => {
  const wrap = new URL('../mutants/wrap-modules.js', import.meta.url)
  const machine = new URL('review/machine/machine.js', core)
  const program = [
    `import { wrapModules } from ${JSON.stringify(wrap.href)}`,
    "wrapModules({ 'review/machine/machine': { decided: ({ decided }) => decided } })",
    `await import(${JSON.stringify(machine.href)})`,
  ].join('\n')
  const flags = ['--input-type=module', '--eval', program]
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(
    stderr,
    /core\/review\/machine\/machine\.ts exports no decided: a mutant expected to wrap it/,
  )
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
