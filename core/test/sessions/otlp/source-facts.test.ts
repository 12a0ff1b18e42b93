import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { noSpanRules, type SpanRules } from '@countersign/core/internal'
import { keyValues, read, span, taken } from './exports.ts'

const exported = (members: object, around: Record<string, object> = {}) => ({
  resourceSpans: [
    {
      ...around.resourceSpans,
      resource: { ...around.resource },
      scopeSpans: [
        { ...around.scopeSpans, scope: { ...around.scope }, spans: [span({ ...members })] },
      ],
    },
  ],
})
const only = (members: object, around: Record<string, object> = {}, rules?: SpanRules) => {
  const [first] = taken(exported(members, around), rules).spans
  return first ?? assert.fail('it was rejected')
}

describe('what an export tells beside attributes', () => {
  test('is kept with the step', () => {
    const read = only(
      {
        kind: 3,
        traceState: 'vendor=1',
        links: [
          {
            traceId: 'AB'.repeat(16),
            spanId: 'cd'.repeat(8),
            traceState: 'x=2',
            attributes: keyValues({ why: 'retry' }),
          },
          {},
        ],
      },
      {
        scope: { name: 'lib', version: '1', attributes: keyValues({ team: 'payments' }) },
        scopeSpans: { schemaUrl: 'https://opentelemetry.io/schemas/1.37.0' },
        resourceSpans: { schemaUrl: 'https://opentelemetry.io/schemas/1.36.0' },
      },
    )
    assert.deepEqual(read.attributes, {
      'otel.kind': 'client',
      'otel.trace_state': 'vendor=1',
      'otel.links': [
        {
          traceId: 'ab'.repeat(16),
          spanId: 'cd'.repeat(8),
          traceState: 'x=2',
          attributes: { why: 'retry' },
        },
        { traceId: '', spanId: '' },
      ],
      'otel.scope.name': 'lib',
      'otel.scope.version': '1',
      'otel.scope.attributes': { team: 'payments' },
      'otel.scope.schema_url': 'https://opentelemetry.io/schemas/1.37.0',
      'otel.resource.schema_url': 'https://opentelemetry.io/schemas/1.36.0',
    })
    assert.equal(read.incompleteAtSource, false)
  })

  test('with counts of what was dropped, which make the step incomplete', () => {
    const dropped = { droppedAttributesCount: 2 }
    const event = { name: 'e', ...dropped }
    const cases: readonly [object, Record<string, object>, object][] = [
      [dropped, {}, { 'otel.dropped_attributes_count': 2 }],
      [{ droppedEventsCount: 3 }, {}, { 'otel.dropped_events_count': 3 }],
      [{ droppedLinksCount: 4 }, {}, { 'otel.dropped_links_count': 4 }],
      [{}, { scope: dropped }, { 'otel.scope.dropped_attributes_count': 2 }],
      [{}, { resource: dropped }, { 'otel.resource.dropped_attributes_count': 2 }],
      [{ events: [event] }, {}, { 'otel.events': [{ ...event, time: null, attributes: {} }] }],
      [{ links: [dropped] }, {}, { 'otel.links': [{ traceId: '', spanId: '', ...dropped }] }],
    ]
    for (const [members, around, kept] of cases) {
      const read = only(members, around)
      assert.deepEqual([read.attributes, read.incompleteAtSource], [kept, true])
    }
    const none = { droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 }
    assert.deepEqual(only({ ...none, kind: 1 }).attributes, {})
    assert.equal(only(none).incompleteAtSource, false)
  })

  test('obeys the ingest rules, and names no subject', () => {
    const rules = { ...noSpanRules, drops: (key: string) => key === 'secret' }
    const read = only(
      { links: [{ attributes: keyValues({ secret: 's', kept: 1 }) }] },
      { scope: { attributes: keyValues({ secret: 's', 'user.id': 'ada', kept: 2 }) } },
      rules,
    )
    assert.deepEqual(read.attributes, {
      'otel.links': [{ traceId: '', spanId: '', attributes: { kept: 1 } }],
      'otel.scope.attributes': { kept: 2 },
    })
  })

  test('is refused at its place where it is no OTLP', () => {
    const cases: readonly [object, Record<string, object>, string][] = [
      [{ droppedAttributesCount: -1 }, {}, '/scopeSpans/0/spans/0/droppedAttributesCount'],
      [{ links: [1] }, {}, '/scopeSpans/0/spans/0/links/0'],
      [{ links: [{ traceId: 1 }] }, {}, '/scopeSpans/0/spans/0/links/0/traceId'],
      [{ traceState: 1 }, {}, '/scopeSpans/0/spans/0/traceState'],
      [{}, { scope: { attributes: 1 as unknown as object } }, '/scopeSpans/0/scope/attributes'],
      [{}, { scopeSpans: { schemaUrl: 1 as unknown as object } }, '/scopeSpans/0/schemaUrl'],
      [{}, { resourceSpans: { schemaUrl: 1 as unknown as object } }, '/schemaUrl'],
      [{}, { resource: { droppedAttributesCount: 'x' } }, '/resource/droppedAttributesCount'],
    ]
    for (const [members, around, place] of cases) {
      const result = read(exported(members, around))
      assert.ok(!result.ok, place)
      assert.equal(result.refusal.errors?.[0]?.pointer, `/resourceSpans/0${place}`)
    }
  })
})
