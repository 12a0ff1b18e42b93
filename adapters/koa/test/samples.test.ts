import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Route, routes } from '../index.ts'
import { type OperationSample, sampleKeyOf, samples } from './samples.ts'
import { answerFault } from './shipped.ts'

function check(row: Route, sample: OperationSample | undefined): void {
  const what = sampleKeyOf(row)
  assert.ok(sample, `${what} has no sample in description/samples.json`)
  const { params = {}, query = {}, body, optional, answer } = sample
  const named = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  assert.deepEqual(Object.keys(params), named, `${what}: parameters`)
  assert.equal(row.query.read(query).ok, true, `${what}: query`)
  assert.equal(body !== undefined, row.body.input !== null, `${what}: whether it has a body`)
  if (body) {
    const takes = (given: object) => row.body.input?.read(given).ok
    assert.equal(takes({ ...body, ...optional }), true, `${what}: body`)
    assert.equal(takes(body), true, `${what}: body without its optional members`)
    for (const member of Object.keys(body)) {
      const { [member]: _, ...rest } = body
      // A version may come in If-Match instead.
      if (member !== 'caseVersion')
        assert.equal(takes(rest), false, `${what}: body without ${member}`)
    }
  }
  assert.equal(answerFault(row.answer.schema, answer), null, `${what}: answer`)
}

test('every operation has a sample that its row takes and could have answered', () => {
  assert.deepEqual(Object.keys(samples).sort(), routes.map(sampleKeyOf).sort())
  for (const row of routes) check(row, samples[sampleKeyOf(row)])
})

test('a sample that its row does not take is found', () => {
  const row = routes.find(({ name }) => name === 'webhooks.update')
  const sample = row && samples[sampleKeyOf(row)]
  assert.ok(row && sample)
  const { answer, body: _, ...bodyless } = sample
  for (const broken of [
    undefined,
    { ...sample, params: {} },
    { ...sample, query: { page: '1' } },
    { ...bodyless, answer },
    { ...sample, optional: { urls: [] } },
    { ...sample, body: { description: 'not needed' } },
    { ...sample, answer: { ...(answer as object), more: 1 } },
  ])
    assert.throws(() => check(row, broken), assert.AssertionError)
})
