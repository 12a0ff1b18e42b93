import assert from 'node:assert/strict'
import {
  type NormalSpan,
  noSpanRules,
  type ReadExport,
  readExport,
  type SpanRules,
} from '@countersign/core/internal'
import type { Result } from '@countersign/core/ledger'

/** An AnyValue of a plain value. */
export function anyValue(value: unknown): object {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  return { kvlistValue: { values: keyValues(value as object) } }
}

export function keyValues(values: object): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }))
}

export const traceId = 'ff0068b06e945e4f55aa3d884f3216e8'
export const spanId = '1d51c00fd48efd0d'

/** A sound span; `attributes` are plain values by key. */
export function span({
  attributes = {},
  ...members
}: {
  readonly attributes?: object
  readonly [name: string]: unknown
} = {}): object {
  return {
    traceId,
    spanId,
    name: 'chat',
    startTimeUnixNano: '1795177744486999999',
    endTimeUnixNano: '1795177744488000000',
    attributes: keyValues(attributes),
    ...members,
  }
}

/** An export of these spans, of one resource and scope. */
export function exportOf(spans: readonly unknown[], resource: object = {}): object {
  return {
    resourceSpans: [
      { resource: { attributes: keyValues(resource) }, scopeSpans: [{ scope: {}, spans }] },
    ],
  }
}

export function read(
  body: object | string | Uint8Array,
  rules: SpanRules = noSpanRules,
  reader: typeof readExport = readExport,
): Result<ReadExport> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(text)
  const slices = reader(bytes, rules)
  for (;;) {
    const step = slices.next()
    if (step.done) return step.value
  }
}

/** What was read of an export that is taken. */
export function taken(...given: Parameters<typeof read>): ReadExport {
  const result = read(...given)
  if (!result.ok) throw new Error(`refused: ${result.refusal.detail}`)
  return result.value
}

/** The span of an export of one span with these attributes. */
export function one(
  attributes: object,
  resource: object = {},
  rules: SpanRules = noSpanRules,
): NormalSpan {
  const { spans } = taken(exportOf([span({ attributes })], resource), rules)
  const [only] = spans
  assert.ok(only && spans.length === 1)
  return only
}
