import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { routes } from '../index.ts'
import { sampleKeyOf, samples } from './samples.ts'
import { checkShipped, remedy } from './shipped.ts'

const row = routes.find(({ host, name }) => host === 'ingest' && name === 'reviewCases.read')
assert.ok(row)
const sample = samples[sampleKeyOf(row)]?.answer as Readonly<Record<string, unknown>>
const asked = { method: 'GET', path: '/v1/review-cases/rc_1' }
const usual = { 'content-type': 'application/json; charset=utf-8', etag: '"1.1"' }

function holds(status: number, json: object, headers: Readonly<Record<string, string>> = usual) {
  assert.ok(row)
  checkShipped(row, asked, { status, json: { ...json }, headers })
}

const refused = {
  type: 'urn:countersign:error:forbidden',
  title: 'Forbidden',
  status: 403,
  code: 'forbidden',
  detail: 'no',
  requestId: 'abc',
  errors: [{ code: 'forbidden', detail: 'no', pointer: null, parameter: null }],
}
const { etag: _, ...bare } = usual

describe('an answer that the shipped description does not have is found', () => {
  test('what it has passes', () => {
    holds(200, sample)
    holds(200, sample, { ...usual, 'x-request-id': 'a', 'x-ratelimit-limit': '1' })
    holds(403, refused, bare)
    holds(304, {}, { etag: '"1.1"' })
  })

  const { caseUrl: _, ...short } = sample
  const checkpoint = sample.checkpoint as object
  for (const [name, broken] of [
    ['a member missing', () => holds(200, short)],
    ['a member too many', () => holds(200, { ...sample, secret: 'x' })],
    [
      'a member too many within',
      () => holds(200, { ...sample, checkpoint: { ...checkpoint, x: 1 } }),
    ],
    ['a member of another type', () => holds(200, { ...sample, caseVersion: '1' })],
    ['a value that is not listed', () => holds(200, { ...sample, state: 'paused' })],
    ['a time without milliseconds', () => holds(200, { ...sample, dueAt: '2026-11-21T10:00:00Z' })],
    [
      'a time that there is not',
      () => holds(200, { ...sample, dueAt: '2026-02-30T10:00:00.000Z' }),
    ],
    ['another media type', () => holds(200, sample, { ...usual, 'content-type': 'text/plain' })],
    ['another header', () => holds(200, sample, { ...usual, 'x-debug': '1' })],
    ['the header of another status', () => holds(403, refused, usual)],
    ['another success', () => holds(201, sample)],
    ['another refusal', () => holds(418, refused, bare)],
    [
      'the code of another operation',
      () => holds(403, { ...refused, code: 'quota_exceeded' }, bare),
    ],
    ['the code of another status', () => holds(403, { ...refused, code: 'not_found' }, bare)],
    ['a refusal without its errors', () => holds(403, { ...refused, errors: [] }, bare)],
    ['a refusal with a member too many', () => holds(403, { ...refused, stack: 'x' }, bare)],
  ] as const)
    test(name, () => assert.throws(broken, assert.AssertionError))

  test('and its finder is told what to do', () => {
    assert.throws(() => holds(201, sample), { message: new RegExp(remedy) })
  })
})
