import type { Clock, Observer } from '@countersign/core/ports'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'

/** Options of `deliverySpans`. */
export interface DeliverySpansOptions {
  /** Such as `trace.getTracer('countersign')` of a program whose tracer provider exports spans. */
  readonly tracer: Tracer
  /** The clock of the service: an attempt ended when it was told, and began as long before as it took. */
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Makes a span of each POST to an endpoint, by the conventions of OpenTelemetry for clients of HTTP, beside whatever span
 * is active. It holds what the event `delivery.attempted` tells: no URL, id or tenant. Other events are passed over.
 */
export function deliverySpans({ tracer, clock }: DeliverySpansOptions): Observer {
  return {
    event: (name, facts) => {
      if (name !== 'delivery.attempted') return
      const { family, status, error, attempt, latencyMs, outcome } = facts
      const endTime = clock.now()
      const errorType = error ?? (status === null ? 'unknown' : String(status))
      const attributes = {
        'http.request.method': 'POST',
        ...(status !== null && { 'http.response.status_code': status }),
        ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
        ...(outcome === 'failed' && { 'error.type': errorType }),
        'countersign.family': family,
      }
      const startTime = endTime - latencyMs
      const options = { kind: SpanKind.CLIENT, startTime, attributes }
      const span = tracer.startSpan('POST', options, ROOT_CONTEXT)
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endTime)
    },
  }
}
