import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exportAnswer, type RejectionReason } from '@countersign/core/internal'
import { atOnce, createSlices } from '../../../base/json/in-slices.ts'
import { createRedactor } from '../../../policies/redaction/redact.ts'
import { incomingSpan } from '../../../sessions/accept/incoming.ts'
import { redactStepTexts } from '../../../sessions/accept/redact-texts.ts'
import { exportOf, keyValues, one, read, span, taken } from './exports.ts'

const refusedAt = (
  body: object | string | Uint8Array,
): readonly [string | null | undefined, string] => {
  const result = read(body)
  assert.ok(!result.ok, 'it was taken')
  assert.equal(result.refusal.code, 'invalid_request')
  return [result.refusal.errors?.[0]?.pointer, result.refusal.detail]
}

describe('a span that can’t be taken', () => {
  const rejectedFor = (members: Parameters<typeof span>[0]) => {
    const { spans, rejected } = taken(
      exportOf([span({ spanId: '2'.repeat(16) }), span(members), span({ spanId: '3'.repeat(16) })]),
    )
    assert.deepEqual(
      spans.map((each) => each.spanId),
      ['2'.repeat(16), '3'.repeat(16)],
    )
    return Object.keys(rejected)
  }

  test('leaves those beside it, and is counted by its reason', () => {
    const long = 'x'.repeat(201)
    const attributes = Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`a${at}`, at]))
    const cases: readonly [RejectionReason, Parameters<typeof span>[0]][] = [
      ['bad_id', { traceId: '0'.repeat(32) }],
      ['bad_id', { traceId: undefined }],
      ['bad_id', { traceId: 'x'.repeat(32) }],
      ['bad_id', { traceId: '/wBosG6UXk9Vqj2ITzIW6A==' }],
      ['bad_id', { spanId: '' }],
      ['bad_id', { spanId: 7 }],
      ['bad_id', { spanId: '1d51c00fd48efd' }],
      ['bad_id', { parentSpanId: 'nobody' }],
      ['bad_id', { attributes: { 'session.id': long } }],
      ['bad_id', { attributes: { 'user.id': 'a\nb' } }],
      ['bad_id', { attributes: { 'countersign.checkpoint.id': long } }],
      ['bad_times', { startTimeUnixNano: undefined }],
      ['bad_times', { endTimeUnixNano: '0' }],
      ['bad_times', { endTimeUnixNano: 'noon' }],
      ['bad_times', { startTimeUnixNano: '1795177744488000001' }],
      ['bad_times', { startTimeUnixNano: -1 }],
      ['bad_key', { attributes: { '': 1 } }],
      ['bad_key', { attributes: { constructor: 1 } }],
      ['bad_key', { attributes: { 'a\0b': 1 } }],
      ['bad_key', { attributes: { deep: { prototype: 1 } } }],
      ['over_limit', { attributes }],
      ['over_limit', { attributes: { [long]: 1 } }],
      ['over_limit', { events: [{ name: 'e', attributes: keyValues(attributes) }] }],
      ['over_limit', { more: Array.from({ length: 50_001 }, () => 0) }],
    ]
    for (const [reason, members] of cases)
      assert.deepEqual(rejectedFor(members), [reason], JSON.stringify(members).slice(0, 90))
  })

  test('__proto__ as a key is data, and no prototype', () => {
    const body = JSON.stringify(exportOf([span({ attributes: { a: 1 } })])).replace(
      '"a"',
      '"__proto__"',
    )
    assert.deepEqual(taken(body).rejected, { bad_key: 1 })
    assert.equal(({} as Record<string, unknown>).intValue, undefined)
  })

  test('128 attributes with keys of 200 are taken', () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 128 }, (_, at) => [String(at).padEnd(200, 'k'), at]),
    )
    assert.deepEqual(one(attributes).attributes, attributes)
  })

  test('10,000 spans are taken, and the rest is counted', () => {
    const spans = Array.from({ length: 10_003 }, (_, at) =>
      span({ spanId: (at + 1).toString(16).padStart(16, '0') }),
    )
    const { spans: read, rejected } = taken(exportOf(spans))
    assert.equal(read.length, 10_000)
    assert.deepEqual(rejected, { over_limit: 3 })
  })

  test('a bad resource takes its own spans with it', () => {
    const bad = exportOf([span(), span()], { ['x'.repeat(201)]: 1 })
    const good = exportOf([span()])
    const both = {
      resourceSpans: [bad, good].flatMap(
        (each) => (each as { resourceSpans: object[] }).resourceSpans,
      ),
    }
    const { spans, rejected } = taken(both)
    assert.equal(spans.length, 1)
    assert.deepEqual(rejected, { over_limit: 2 })
  })

  test('is told in the answer', () => {
    assert.deepEqual(exportAnswer({}), {})
    assert.deepEqual(exportAnswer({ bad_times: 2, too_late: 1 }), {
      partialSuccess: {
        rejectedSpans: '3',
        errorMessage: 'spans rejected: 2 start or end missing or reversed; 1 session closed',
      },
    })
  })
})

describe('what is no export', () => {
  test('is refused whole, with the place of the first fault', () => {
    const place = '/resourceSpans/0/scopeSpans/0/spans/1'
    const spoilt = (members: object) => exportOf([span(), { ...span(), ...members }])
    const cases: readonly [object | string, string][] = [
      ['', ''],
      ['{', ''],
      ['[]', ''],
      ['7', ''],
      [{ resourceMetrics: [] }, ''],
      [{ resourceSpans: {} }, ''],
      [{ resourceSpans: [1] }, '/resourceSpans/0'],
      [{ resourceSpans: [{ resource: 'x' }] }, '/resourceSpans/0/resource'],
      [{ resourceSpans: [{ scopeSpans: 'x' }] }, '/resourceSpans/0/scopeSpans'],
      [{ resourceSpans: [{ scopeSpans: [{ spans: {} }] }] }, '/resourceSpans/0/scopeSpans/0/spans'],
      [
        {
          resourceSpans: [
            {
              scopeSpans: [
                { scope: { name: 'a' }, spans: [] },
                { scope: { name: 1 }, spans: [1] },
              ],
            },
          ],
        },
        '/resourceSpans/0/scopeSpans/1/scope/name',
      ],
      [exportOf([1]), '/resourceSpans/0/scopeSpans/0/spans/0'],
      [spoilt({ name: 1 }), `${place}/name`],
      [spoilt({ attributes: {} }), `${place}/attributes`],
      [spoilt({ attributes: ['x'] }), `${place}/attributes/0`],
      [spoilt({ attributes: [{ key: 1 }] }), `${place}/attributes/0/key`],
      [spoilt({ attributes: [{ key: 'a', value: 'x' }] }), `${place}/attributes/0/value`],
      [
        spoilt({ attributes: [{ key: 'a', value: { intValue: 1.5 } }] }),
        `${place}/attributes/0/value/intValue`,
      ],
      [
        spoilt({ attributes: [{ key: 'a', value: { boolValue: 'true' } }] }),
        `${place}/attributes/0/value/boolValue`,
      ],
      [
        spoilt({ attributes: [{ key: 'a', value: { doubleValue: 'x' } }] }),
        `${place}/attributes/0/value/doubleValue`,
      ],
      [
        spoilt({ attributes: [{ key: 'a', value: { intValue: 1, stringValue: 'x' } }] }),
        `${place}/attributes/0/value`,
      ],
      [
        spoilt({ attributes: [{ key: 'a', value: { arrayValue: { values: [{}, 1] } } }] }),
        `${place}/attributes/0/value/arrayValue/values/1`,
      ],
      [spoilt({ events: [{ name: 1 }] }), `${place}/events/0/name`],
      // OTLP in JSON writes enums as numbers.
      [spoilt({ status: { code: 'STATUS_CODE_ERROR' } }), `${place}/status/code`],
      [spoilt({ kind: 'SPAN_KIND_CLIENT' }), `${place}/kind`],
    ]
    for (const [body, pointer] of cases)
      assert.equal(refusedAt(body)[0], pointer, JSON.stringify(body).slice(0, 200))
  })

  test('is not the empty message, which has no spans', () => {
    assert.deepEqual(taken('{}'), { spans: [], rejected: {} })
  })

  test('is refused where parsing would change it', () => {
    const text = JSON.stringify(exportOf([span({ attributes: { a: 'X' } })]))
    const place = '/resourceSpans/0/scopeSpans/0/spans/0'
    const put = (json: string) => refusedAt(text.replace('{"stringValue":"X"}', json))
    assert.deepEqual(put('{"stringValue":"a","stringValue":"b"}'), [
      place,
      `${place}: expected each member once`,
    ])
    assert.match(put('{"__proto__":{"stringValue":"a"}}')[1], /__proto__/)
    assert.match(put('{"stringValue":"\\ud83d"}')[1], /surrogate/)
    assert.match(put('{"doubleValue":1e999}')[1], /double holds/)
    assert.match(put(`${'['.repeat(200_000)}`)[1], /64 levels/)
    assert.match(put('{"stringValue":"\u0001"}')[1], /JSON/)
    assert.equal(
      refusedAt(`{"resourceSpans":[],"resourceSpans":[]}`)[1],
      'expected each member once',
    )
  })

  test('a single refused span refuses all, also one of a resource that can’t be taken', () => {
    const body = exportOf([span(), { ...span(), kind: 'X' }])
    assert.ok(!read(body).ok)
    const resource = { ['x'.repeat(201)]: 1 }
    assert.ok(!read(JSON.stringify(exportOf([span()], resource)).replace('"chat"', '"chat')).ok)
  })
})

describe('a name over its limit', () => {
  test('is cut at 200, whole characters, and the span says so', () => {
    const read = taken(
      exportOf([
        span({ name: `${'n'.repeat(199)}😀` }),
        span({ name: 'a\nb' }),
        span({ name: '' }),
      ]),
    ).spans
    const names = { subjectOf: () => assert.fail('it names nobody') }
    const stored = read.map((each) => {
      const step = incomingSpan(each, 'session-1', names)
      return atOnce(redactStepTexts(createRedactor([], new Uint8Array(32)), step, createSlices()))
    })
    assert.deepEqual(
      stored.map(({ texts, cut }) => [texts.name, cut]),
      [
        ['n'.repeat(199), true],
        ['a b', false],
        ['unnamed', false],
      ],
    )
    assert.deepEqual(
      read.map(({ truncated }) => truncated),
      [true, false, false],
    )
  })
})
