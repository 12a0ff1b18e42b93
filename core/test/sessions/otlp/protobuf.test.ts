import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { noSpanRules, readExport } from '@countersign/core/internal'
import type { Result } from '@countersign/core/ledger'
import fc from 'fast-check'
import { atOnce, sliceSize } from '../../../base/json/in-slices.ts'
import type { ReadExport } from '../../../content/span.ts'
import { anyExport } from './any-export.ts'
import { exportOf, span, spanId, taken } from './exports.ts'
import { type MessageName, written } from './protobuf-writer.ts'

const read = (body: Uint8Array): Result<ReadExport> =>
  atOnce(readExport(body, noSpanRules, 'protobuf'))
const bytes = (...given: readonly number[]) => Uint8Array.from(given)
const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
/** A field of a message, as it is on the wire. */
const field = (number: number, content: Uint8Array | string): Uint8Array => {
  const raw = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const varint = (value: number): readonly number[] =>
    value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
  return joined(bytes(...varint(number * 8 + 2), ...varint(raw.length)), raw)
}
/** An export whose span has these bytes beside its own. */
const withSpan = (...more: readonly Uint8Array[]) =>
  field(1, field(2, field(2, joined(written(span(), 'Span'), ...more))))
const place = '/resourceSpans/0/scopeSpans/0/spans/0'

describe('an export in protobuf', () => {
  test('is read as the same export in JSON is, whatever it holds', () => {
    fc.assert(
      fc.property(anyExport, (given) => {
        const inJson = taken(given)
        const result = read(written(given))
        assert.ok(result.ok, JSON.stringify(result))
        assert.deepEqual(result.value, inJson)
      }),
      { numRuns: 100 },
    )
  })

  test('and that fails for a reader that is wrong in one thing', () => {
    const wrongs: Readonly<Record<string, (given: ReadExport) => ReadExport>> = {
      'no attributes': ({ spans, rejected }) => ({
        spans: spans.map((each) => ({ ...each, attributes: {} })),
        rejected,
      }),
      'nothing incomplete': ({ spans, rejected }) => ({
        spans: spans.map((each) => ({ ...each, incompleteAtSource: false })),
        rejected,
      }),
      'nothing rejected': ({ spans }) => ({ spans, rejected: {} }),
    }
    for (const [name, wrong] of Object.entries(wrongs))
      assert.throws(
        () =>
          fc.assert(
            fc.property(anyExport, (given) => {
              const result = read(written(given))
              assert.ok(result.ok)
              assert.deepEqual(wrong(result.value), taken(given))
            }),
          ),
        Error,
        name,
      )
  })

  test('without spans is one', () => {
    for (const empty of [bytes(), field(1, bytes()), field(1, field(2, bytes())), field(77, 'new')])
      assert.deepEqual(read(empty), { ok: true, value: { spans: [], rejected: {} } })
  })

  test('may come in parts, which are one message', () => {
    const parts = [exportOf([span()]), exportOf([span({ spanId: '2'.repeat(16) })])]
    const result = read(joined(...parts.map((each) => written(each))))
    assert.ok(result.ok)
    assert.deepEqual(
      result.value.spans.map((each) => each.spanId),
      [spanId, '2'.repeat(16)],
    )
  })

  test('that is none is refused whole, with the place of the fault', () => {
    const kind = (wire: number, number: number) => bytes(number * 8 + wire, 1)
    const cases: readonly [string, Uint8Array, string, RegExp][] = [
      ['cut off', withSpan().subarray(0, -1), '/resourceSpans', /ends before/],
      ['text', new TextEncoder().encode('{"resourceSpans":[]}'), '', /protobuf/],
      ['no number', bytes(2, 0), '', /no number/],
      ['a group', bytes(0x9b, 6), '', /without groups/],
      ['an endless varint', bytes(...Array.from({ length: 11 }, () => 0xff)), '', /protobuf/],
      [
        'a span that is a number',
        field(1, field(2, kind(0, 2))),
        '/resourceSpans/0/scopeSpans/0/spans',
        /wire type 2, got 0/,
      ],
      [
        'a name that is a number',
        withSpan(kind(0, 3)),
        `${place}/traceState`,
        /wire type 2, got 0/,
      ],
      ['a name twice', withSpan(field(5, 'again')), `${place}/name`, /once/],
      ['half a text', withSpan(field(3, bytes(0xc3))), `${place}/traceState`, /UTF-8/],
      ['a half pair', withSpan(field(3, bytes(0xed, 0xa0, 0x80))), `${place}/traceState`, /UTF-8/],
      [
        'two kinds of value',
        withSpan(field(9, joined(field(1, 'k'), field(2, joined(field(1, 'a'), bytes(16, 1)))))),
        `${place}/attributes/0/value`,
        /one kind/,
      ],
      [
        'a link beyond its end',
        withSpan(field(13, joined(field(3, 'ok'), bytes(0x22, 5)))),
        `${place}/links/0/attributes`,
        /ends before/,
      ],
      ['a group in a span', withSpan(bytes(0xa3, 1)), place, /without groups/],
      [
        'a scope beyond its end',
        field(1, field(2, field(1, bytes(0x0a, 3)))),
        '/resourceSpans/0/scopeSpans/0/scope/name',
        /ends before/,
      ],
      [
        'a resource twice',
        field(1, joined(field(1, bytes()), field(1, bytes()))),
        '/resourceSpans/0/resource',
        /once/,
      ],
    ]
    for (const [name, body, pointer, detail] of cases) {
      const result = read(body)
      assert.ok(!result.ok, name)
      assert.equal(result.refusal.code, 'invalid_request')
      assert.deepEqual([name, result.refusal.errors?.[0]?.pointer], [name, pointer])
      assert.match(result.refusal.detail, detail, name)
    }
  })

  test('never throws, and never takes longer than its bytes, whatever bytes come', () => {
    const sound = written(
      exportOf([span({ attributes: { a: [1, 'x'], b: { c: 1.5 } } })], { r: 1 }),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc
            .tuple(fc.nat(sound.length - 1), fc.nat(255))
            .map(([at, byte]) => sound.map((was, index) => (index === at ? byte : was))),
          fc.nat(sound.length).map((end) => sound.subarray(0, end)),
        ),
        (body) => {
          const result = read(body)
          if (!result.ok) assert.equal(result.refusal.code, 'invalid_request')
        },
      ),
      { numRuns: 500 },
    )
  })

  test('is bounded: depth, values, spans, bytes beside the spans', () => {
    const nested = (levels: number) => {
      let value: Uint8Array = field(1, 'x')
      for (let level = 0; level < levels; level++) value = field(5, field(1, value))
      return read(withSpan(field(9, joined(field(1, 'a'), field(2, value)))))
    }
    assert.ok(nested(17).ok)
    const tooDeep = nested(19)
    assert.match(tooDeep.ok ? '' : tooDeep.refusal.detail, /64 levels/)

    const many = Array.from({ length: 25_001 }, () => field(99, 'x'))
    const twice = read(withSpan(...many, ...many))
    assert.deepEqual(twice.ok && twice.value.rejected, { over_limit: 1 })

    const spans = Array.from({ length: 10_003 }, (_, at) =>
      span({ spanId: (at + 1).toString(16).padStart(16, '0') }),
    )
    const full = read(written(exportOf(spans)))
    assert.ok(full.ok)
    assert.deepEqual([full.value.spans.length, full.value.rejected], [10_000, { over_limit: 3 }])

    for (const beside of [
      field(1, field(1, field(3, 'x'.repeat(4_194_305)))),
      joined(...Array.from({ length: 100_001 }, () => field(1, bytes()))),
    ]) {
      const result = read(beside)
      assert.match(result.ok ? '' : result.refusal.detail, /beside the spans/)
    }
  })

  test('is read in slices', () => {
    const spans = new Uint8Array(400_000).map((_, at) => (at % 2 === 0 ? 18 : 0))
    const empty = field(1, field(2, spans))
    let pauses = 0
    for (const reading = readExport(empty, noSpanRules, 'protobuf'); ; pauses++)
      if (reading.next().done) break
    assert.ok(pauses >= Math.floor(empty.length / sliceSize), `${pauses} pauses`)
  })

  test('knows an id by its length alone', () => {
    const ids = (members: Readonly<Record<string, string>>) => {
      const result = read(
        written({ resourceSpans: [{ scopeSpans: [{ spans: [span(members)] }] }] }),
      )
      return result.ok && result.value.rejected
    }
    for (const wrong of [
      { traceId: 'ff'.repeat(17) },
      { traceId: 'ff'.repeat(1_000) },
      { traceId: '' },
      { spanId: 'ff'.repeat(9) },
      { parentSpanId: 'ff' },
    ])
      assert.deepEqual(ids(wrong), { bad_id: 1 })
    assert.deepEqual(ids({ parentSpanId: '0'.repeat(16) }), {})
  })
})

test('the writer of these tests writes what the standard’s example says', () => {
  const as: MessageName = 'KeyValue'
  assert.deepEqual(
    [...written({ key: 'a', value: { intValue: 150 } }, as)],
    [0x0a, 1, 0x61, 0x12, 3, 0x18, 0x96, 0x01],
  )
})
