import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { home, packages } from '../packages.mjs'
import { load, places } from '../record/hooks.mjs'
import { judgeRows } from '../record/judge-rows.mjs'
import { nameForm } from '../record/name-form.mjs'
import { allRows, rowsUnder } from '../record/page.mjs'
import { createRecorder } from '../record/recorder.mjs'
import { programOf, runNamed } from '../record/run-named.mjs'

const marks = {
  file: 'core/test/policies/marks.test.ts',
  name: 'record who and what, set its state and emit an event',
}
const rowOf = (need, at = marks) => ({ what: `a row of ${need}`, needs: [need], ...at })

test('a row is refused whose test does not touch its route, event, state or code, or does not run', async () => {
  const review = 'done sessionReviews.create member'
  const right = ['event session.review.approved', 'event session.review.rejected', review]
  const wrong = [
    'route GET portal /v1/sessions/:sessionId/reviews',
    'event session.flagged',
    'state session: failed',
    'code last_admin',
  ]
  const absent = rowOf(right[0], { ...marks, name: `${marks.name} not` })
  const rows = [...right, ...wrong].map((need) => rowOf(need))
  const records = await runNamed([...rows, absent])
  assert.deepEqual(records.failed, [])
  assert.deepEqual(
    judgeRows([...rows, absent], records).map((fault) =>
      fault.split(/ runs without |" of /).at(-1),
    ),
    [...wrong, `${marks.file} did not run`],
  )
})

/** What is found wrong with a row after some things came by during its test. */
async function judged(need, bring) {
  const recorder = createRecorder()
  await recorder.during(['a suite', marks.name], () => bring(recorder))
  const { tests, handlers } = recorder.notes()
  const found = new Map([[programOf(marks.file), tests]])
  return judgeRows([rowOf(need)], { found, handlers: new Map(Object.entries(handlers)) }).length
}

test('an event that is no longer committed turns its row red', async () => {
  const owing = (rows) => async (recorder) => {
    const store = recorder.store({ commit: async () => ({ committed: true }) })
    await store.commit({ puts: rows.map((row) => ({ in: 'messages', row })) })
  }
  const need = 'event session.flagged'
  assert.equal(await judged(need, owing([{ type: 'session.flagged' }])), 0)
  assert.equal(await judged(need, owing([])), 1)
  const refused = async (recorder) => {
    const store = recorder.store({ commit: async () => ({ committed: false }) })
    await store.commit({ puts: [{ in: 'messages', row: { type: 'session.flagged' } }] })
  }
  assert.equal(await judged(need, refused), 1)
})

test('a route counts when it is granted, over HTTP or to a caller of its host', async () => {
  const row = { method: 'POST', host: 'portal', path: '/v1/webhooks' }
  const need = 'route POST portal /v1/webhooks'
  const answered = (status) => (recorder) =>
    recorder.request(row, { status, body: { type: 'urn:countersign:error:forbidden' } }, () => {})
  assert.equal(await judged(need, answered(200)), 0)
  assert.equal(await judged(need, answered(403)), 1)
  assert.equal(await judged('code forbidden', answered(403)), 0)
  const called = (kind, result) => async (recorder) => {
    const group = recorder.operations('webhooks', { create: async () => result })
    await recorder.handling(row, () => group.create({ kind: 'nobody-of-this-host' }))
    await group.create({ kind })
  }
  assert.equal(await judged(need, called('member', { ok: true, value: {} })), 0)
  assert.equal(await judged(need, called('application', { ok: true, value: {} })), 1)
  const refusal = { code: 'webhook_limit' }
  assert.equal(await judged(need, called('member', { ok: false, refusal })), 1)
})

test('a state counts when it is told, in an answer or in a list as it is read', async () => {
  const told = (value) => async (recorder) => {
    const { read } = recorder.operations('reviewCases', { read: async () => ({ ok: true, value }) })
    const { value: got } = await read({ kind: 'member' })
    for await (const _ of got.pieces ?? []);
  }
  const view = (state) => ({ reviewCaseId: 'rc_1', state })
  const need = 'state review case: expired'
  assert.equal(await judged(need, told(view('expired'))), 0)
  assert.equal(await judged(need, told(view('open'))), 1)
  assert.equal(await judged(need, told({ state: 'expired' })), 1)
  async function* pieces(state) {
    yield [view(state)]
  }
  assert.equal(await judged(need, told({ totalCount: 1, pieces: pieces('expired') })), 0)
  assert.equal(await judged(need, told({ totalCount: 1, pieces: pieces('open') })), 1)
})

test('what comes by while two tests run, in neither of them, is noted for none', async () => {
  const recorder = createRecorder()
  let outside
  const asked = new Promise((resolve) => {
    outside = resolve
  })
  const calls = recorder.operations('webhooks', { list: () => [] })
  const later = asked.then(() => calls.list({ kind: 'member' }))
  const both = ['one', 'two'].map((name) => recorder.during([name], () => later))
  outside()
  await Promise.all(both)
  assert.deepEqual(
    recorder.notes().tests.map(({ seen }) => seen),
    [[], []],
  )
})

test('a place of the recorder that is not as it was is an error', async () => {
  const url = 'file:///x/koa/dist/answer-call.js'
  const next = (source) => async () => ({ format: 'module', source })
  const { source } = await load(url, {}, next('return row.handle(call.value)'))
  assert.match(source, /\.handling\(row, /)
  await assert.rejects(load(url, {}, next('return row.serve(call)')), /found it 0 times/)
})

test('each place of the recorder is as it was, in a file that is there', () => {
  for (const [place, texts] of Object.entries(places)) {
    const file = packages.map((dir) => join(home, dir, '..', place)).find(existsSync)
    assert.ok(file, `no ${place}`)
    const source = readFileSync(file, 'utf8')
    for (let at = 0; at < texts.length; at += 2)
      assert.equal(source.split(texts[at]).length, 2, `${place}: ${texts[at]}`)
  }
})

test('names of sources are those of tests that run', () => {
  const isNamed = (name, ran) => nameForm(name).test(ran)
  assert.ok(isNamed('of ${given} is ${key}', 'of a.b is c'))
  assert.ok(isNamed('all of a list', 'all of a list: one'))
  assert.ok(!isNamed('all of a list', 'all of a list, and more'))
  assert.ok(!isNamed('a.b', 'aXb'))
})

test('rows are read with what they show, from their first column or their second', () => {
  const page = [
    '## Operations\n\n| Operation | Test |\n|---|---|\n| GET portal /v1/x | `a/test/b.test.ts` › reads |\n',
    '## Limits\n\n| What | Shows | Test |\n|---|---|---|\n| ten | `code too_many_keys`, `event a.b` | `c` › d |\n',
    '| none | – | `c` › e |\n| malformed |\n',
  ].join('')
  assert.deepEqual(
    allRows(page).map(({ needs, name }) => [needs, name]),
    [
      [['route GET portal /v1/x'], 'reads'],
      [['code too_many_keys', 'event a.b'], 'd'],
      [[], 'e'],
      [[], ''],
    ],
  )
  assert.equal(rowsUnder('Rules', page).length, 0)
})
