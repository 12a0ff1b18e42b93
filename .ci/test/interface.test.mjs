import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sourceOfInterface } from '../interface.mjs'
import { home } from '../packages.mjs'

const [[path, made]] = Object.entries(sourceOfInterface())
const text = readFileSync(join(home, path), 'utf8')

test('the generated tables of the interface are those of the declarations', () => {
  assert.equal(text, made, `${path} is not what is declared: run npm run describe`)
})

for (const [what, from, to] of [
  ['a code', '| not_found | 404 |', '| not_found | 410 |'],
  ['an operation', '| webhooks.remove | DELETE |', '| webhooks.remove | POST |'],
  ['a right', '| CustomerAdmin | `{name', '| session | `{name'],
  ['a member of a body', '`{label}`', '`{label, more?}`'],
  [
    'an event',
    '| legacy | legacy | a session gets a flag |',
    '| standard | legacy | a session gets a flag |',
  ],
  ['a limit', '| label | 100 |', '| label | 101 |'],
])
  test(`a table in which ${what} was changed by hand is found`, () => {
    assert.ok(text.includes(from), from)
    assert.deepEqual(sourceOfInterface(text.replaceAll(from, to)), { [path]: text })
  })

test('prose beside a generated table stays as it is', () => {
  const prose = 'Every refusal has one body:'
  const changed = text.replace(prose, 'Other words:')
  assert.deepEqual(sourceOfInterface(changed), { [path]: changed })
})
