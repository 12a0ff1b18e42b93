import assert from 'node:assert/strict'
import { unwrap } from '@countersign/core'
import type { PortalStage } from './stage.ts'

/** A step of an agent, as its instrumentation tells it. */
export interface SentSpan {
  /** 32 hex digits, the session's id where `attributes` give none. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  readonly name: string
  /** Unix ms. */
  readonly startMs: number
  readonly attributes: Readonly<Record<string, string>>
}

/** Sends spans of half a second to the service, as an exporter does. */
export async function sendSpans(stage: PortalStage, sent: readonly SentSpan[]): Promise<void> {
  const { service, admin, applicationId, ingestOrigin } = stage
  const { value } = unwrap(await service.customerKeys.issue(admin, { applicationId }))
  const spans = sent.map(({ startMs, attributes, ...span }) => ({
    ...span,
    kind: 1,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 500}000000`,
    status: { code: 1 },
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({
      key,
      value: { stringValue },
    })),
  }))
  const answer = await fetch(`${ingestOrigin}/v1/ingest/otlp`, {
    method: 'POST',
    headers: { 'x-api-key': value.split('.').at(-1) ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  })
  assert.deepEqual(await answer.json(), {})
}
