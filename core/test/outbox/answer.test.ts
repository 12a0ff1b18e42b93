import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { describeFailure, judge } from '../../outbox/answer.ts'
import { parseRetryAfter } from '../../outbox/retry-after.ts'
import { answered, failed } from '../../testing/index.ts'

const now = Date.UTC(2026, 10, 21, 8, 0, 0)

test('the status alone decides: 2xx delivers, 410 ends everything, the rest fails', () => {
  for (const status of [200, 204, 299]) assert.equal(judge(answered(status), now).kind, 'delivered')
  for (const status of [100, 199, 300, 301, 302, 304, 400, 404, 408, 409, 411, 429, 500, 503, 999])
    assert.equal(judge(answered(status), now).kind, 'failed', String(status))
  assert.equal(judge(answered(410), now).kind, 'gone')
  assert.equal(judge(answered(200, { truncated: true }), now).kind, 'delivered')
  assert.equal(judge(failed('timeout'), now).kind, 'failed')
})

test('the log says what was expected and what came', () => {
  assert.equal(describeFailure(answered(204)), null)
  assert.equal(describeFailure(answered(302)), 'answered 302; redirects are not followed')
  assert.equal(describeFailure(answered(500)), 'answered 500, expected 2xx')
  assert.equal(describeFailure(failed('dns', 'no such host')), 'dns: no such host')
})

test('Retry-After is read under any spelling of its name, from failures alone', () => {
  const headers = { 'Retry-After': '7' }
  assert.deepEqual(judge(answered(429, { headers }), now), { kind: 'failed', retryAfter: 7_000 })
  assert.deepEqual(judge(answered(200, { headers }), now), { kind: 'delivered' })
})

test('Retry-After takes seconds and the three forms of an HTTP date', () => {
  assert.equal(parseRetryAfter('120', now), 120_000)
  assert.equal(parseRetryAfter(' 0 ', now), 0)
  // The example dates of RFC 9110, 5.6.7, all the same moment.
  const before = Date.UTC(1994, 10, 6, 8, 49, 0)
  assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', before), 37_000)
  assert.equal(parseRetryAfter('Sunday, 06-Nov-94 08:49:37 GMT', before), 37_000)
  assert.equal(parseRetryAfter('Sun Nov  6 08:49:37 1994', before), 37_000)
  assert.equal(parseRetryAfter('Thu, 01 Jan 1970 00:00:00 GMT', now), 0)
})

test('a Retry-After that says neither is ignored', () => {
  for (const value of ['', '-1', '1e9', '1.5', '+5', 'soon', '12 s', 'Sun, 06 Nov 1994', '９'])
    assert.equal(parseRetryAfter(value, now), null, value)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const ms = parseRetryAfter(text, now)
      assert.ok(ms === null || (ms >= 0 && Number.isSafeInteger(ms)))
    }),
  )
})
