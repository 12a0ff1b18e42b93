import { isoTime } from '../ledger/iso-time.ts'
import type { AttemptRecord } from '../outbox/records.ts'
import type { DeliveryLogEntry } from './view.ts'

// Answers are arbitrary bytes; invalid UTF-8 shows as U+FFFD.
const utf8 = new TextDecoder()

/** One attempt as the delivery log shows it; `body` is the message's, null where a purge has taken it. */
export function logEntry(attempt: AttemptRecord, body: Uint8Array | null): DeliveryLogEntry {
  return {
    attemptId: attempt.attemptId,
    deliveryId: attempt.deliveryId,
    eventId: attempt.messageId,
    eventType: attempt.type,
    family: attempt.family,
    attempt: attempt.attempt,
    trigger: attempt.trigger,
    startedAt: isoTime(attempt.startedAt),
    latencyMs: attempt.latencyMs,
    outcome: attempt.outcome,
    error: attempt.error,
    requestHeaders: attempt.requestHeaders,
    requestBody: body ? utf8.decode(body) : '',
    responseStatus: attempt.responseStatus,
    responseHeaders: attempt.responseHeaders,
    responseBody: attempt.responseBody && utf8.decode(attempt.responseBody),
    truncated: attempt.truncated,
  }
}
