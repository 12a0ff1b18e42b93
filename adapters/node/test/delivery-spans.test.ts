import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObservedEvents } from '@countersign/core/ports'
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  type TimeInput,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { deliverySpans } from '../delivery-spans.ts'

interface Kept {
  readonly name: string
  readonly options: SpanOptions
  readonly context: Context | undefined
  status?: SpanStatus
  endTime?: TimeInput | undefined
}

/** A tracer of the API that keeps its spans in memory. */
function memoryTracer() {
  const spans: Kept[] = []
  const bare = trace.wrapSpanContext({
    traceId: '0'.repeat(32),
    spanId: '0'.repeat(16),
    traceFlags: 0,
  })
  const startSpan = (name: string, options: SpanOptions = {}, context?: Context): Span => {
    const kept: Kept = { name, options, context }
    spans.push(kept)
    return Object.assign(Object.create(bare), {
      setStatus: (status: SpanStatus) => void Object.assign(kept, { status }),
      end: (endTime?: TimeInput) => void Object.assign(kept, { endTime }),
    })
  }
  const startActiveSpan = () => assert.fail('no span is made active')
  return { spans, tracer: { startSpan, startActiveSpan } as Tracer }
}

const at = Date.UTC(2026, 10, 28)
const delivered: ObservedEvents['delivery.attempted'] = {
  family: 'standard',
  outcome: 'delivered',
  status: 204,
  error: null,
  attempt: 1,
  latencyMs: 120,
}

function spansOf(...all: readonly Partial<ObservedEvents['delivery.attempted']>[]) {
  const { spans, tracer } = memoryTracer()
  const observer = deliverySpans({ tracer, clock: { now: () => at } })
  for (const facts of all) observer.event('delivery.attempted', { ...delivered, ...facts })
  return spans
}

test('a POST that was taken is a span of its time, by the conventions for clients of HTTP', () => {
  const [span] = spansOf({})
  assert.deepEqual(span, {
    name: 'POST',
    options: {
      kind: 2,
      startTime: at - 120,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 204,
        'countersign.family': 'standard',
      },
    },
    context: ROOT_CONTEXT,
    endTime: at,
  })
})

test('a POST that failed is an error of its class, and says how often it was sent again', () => {
  const spans = spansOf(
    { outcome: 'failed', status: 503, attempt: 3 },
    { outcome: 'failed', status: null, error: 'timeout' },
  )
  assert.deepEqual(
    spans.map(({ status, options }) => [
      status,
      options.attributes?.['error.type'],
      options.attributes?.['http.request.resend_count'],
      options.attributes?.['http.response.status_code'],
    ]),
    [
      [{ code: 2 }, '503', 2, 503],
      [{ code: 2 }, 'timeout', undefined, undefined],
    ],
  )
})

test('no other event makes a span', () => {
  const { spans, tracer } = memoryTracer()
  const observer = deliverySpans({ tracer, clock: { now: () => at } })
  observer.event('delivery.settled', { family: 'standard', result: 'delivered' } as never)
  assert.deepEqual(spans, [])
})
