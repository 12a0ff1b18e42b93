import assert from 'node:assert/strict'
import test from 'node:test'
import { operations } from '../gates/operations.mjs'
import { plant } from './plant.mjs'

const row = {
  host: 'portal',
  method: 'GET',
  path: '/v1/webhooks',
  name: 'webhooks.list',
  summary: 'List webhooks',
  answer: { types: ['application/json'], schema: { type: 'object' } },
  refuses: ['forbidden'],
}

/** What is found in a table of these rows; a member that is undefined is left out of its row. */
async function foundIn(t, ...rows) {
  const root = plant(t, {
    'adapters/koa/dist/index.js': `export const routes = ${JSON.stringify(rows)}\n`,
    'core/dist/kernel/ledger/index.js': "export const refusalCodes = ['forbidden', 'not_found']\n",
  })
  return (await operations(root)).map(({ text }) => text)
}

test('rows that declare their operation whole are fine, with one name on both hosts', async (t) => {
  assert.deepEqual(await foundIn(t, row, { ...row, host: 'ingest', refuses: [] }), [])
})

for (const [what, broken, says] of [
  ['no name', { name: undefined }, /has no name of the form/],
  ['a name without a group', { name: 'list' }, /has no name of the form .*"list"/],
  ['no summary', { summary: undefined }, /has no summary/],
  ['a blank summary', { summary: ' ' }, /has no summary/],
  ['no answer', { answer: undefined }, /has no answer schema/],
  ['an answer without a schema', { answer: { types: ['a/b'] } }, /has no answer schema/],
  ['a schema that says nothing', { answer: { ...row.answer, schema: {} } }, /has no answer schema/],
  ['no media type', { answer: { ...row.answer, types: [] } }, /names no media type/],
  ['no refusals', { refuses: undefined }, /names no refusals/],
  ['a code that the core does not know', { refuses: ['forbiden'] }, /'forbiden', which is no code/],
  ['a code twice', { refuses: ['forbidden', 'forbidden'] }, /'forbidden' twice/],
])
  test(`a row with ${what} is found`, async (t) => {
    const [text = '', ...more] = await foundIn(t, { ...row, ...broken })
    assert.match(text, /^GET portal \/v1\/webhooks /)
    assert.match(text, says)
    if (what !== 'no answer') assert.deepEqual(more, [])
  })

test('two operations of one name on one host are found', async (t) => {
  assert.deepEqual(await foundIn(t, row, { ...row, method: 'POST' }), [
    "POST portal /v1/webhooks has the name of GET portal /v1/webhooks, 'webhooks.list': each is one on its host",
  ])
})

test('a table that was not built, or is empty, is found', async (t) => {
  assert.match((await operations(plant(t)))[0].text, /is not there: build first/)
  assert.match((await foundIn(t))[0], /exports no routes/)
})
