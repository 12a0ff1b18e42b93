import { longest } from '../kernel/ledger/limits.ts'
import { partShape } from '../kernel/list.ts'
import { object, recordOf, showAll } from '../kernel/members.ts'
import {
  flag,
  type InsOf,
  line,
  number,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  time,
  whole,
} from '../kernel/shape.ts'
import { anyText, fromOne } from '../kernel/usual.ts'
import { orNull } from '../kernel/wrap.ts'
import type { AttemptRecord } from '../outbox/records.ts'

const id = line(longest.id)
const headers = recordOf(anyText, anyText, Number.MAX_SAFE_INTEGER)

/** What each attempt of a delivery has of its own. */
const ownOfAttempt = {
  attemptId: id,
  attempt: fromOne,
  trigger: oneOf(['event', 'retry', 'test', 'replay', 'verification']),
  startedAt: time,
  latencyMs: number,
  outcome: oneOf(['delivered', 'failed']),
  error: orNull(anyText),
  requestHeaders: headers,
  responseStatus: orNull(whole(0, 999)),
  responseHeaders: orNull(headers),
  responseBody: orNull(anyText),
  truncated: flag,
}
/** The answer that is one attempt of a delivery that is known. */
export const attemptShape: Shape<
  RowsOf<typeof ownOfAttempt>,
  InsOf<typeof ownOfAttempt>,
  OutsOf<typeof ownOfAttempt>
> = object(ownOfAttempt, 'DeliveryAttempt')

/** One attempt, as the delivery log shows it. */
const shownAttempt = {
  deliveryId: id,
  eventId: id,
  eventType: id,
  family: oneOf(['standard', 'legacy']),
  ...ownOfAttempt,
  requestBody: anyText,
}
/** One attempt, as the delivery log shows it. */
export interface DeliveryLogEntry extends OutsOf<typeof shownAttempt> {}

/** The answer that is one attempt. */
export const logEntryShape: Shape<
  RowsOf<typeof shownAttempt>,
  InsOf<typeof shownAttempt>,
  DeliveryLogEntry
> = object(shownAttempt, 'DeliveryLog')

/** A part of a delivery log. */
export const deliveryLogShape: Shape<object> = partShape('deliveryLogs', logEntryShape)

// Answers are arbitrary bytes; invalid UTF-8 shows as U+FFFD.
const utf8 = new TextDecoder()

/** One attempt as the delivery log shows it; `body` is the message's, null where a purge has taken it. */
export function logEntry(attempt: AttemptRecord, body: Uint8Array | null): DeliveryLogEntry {
  return showAll(shownAttempt, {
    ...attempt,
    ...ownMembers(attempt),
    eventId: attempt.messageId,
    eventType: attempt.type,
    requestBody: body ? utf8.decode(body) : '',
  })
}

/** The members of an attempt that are its own, as they are stored. */
export function ownMembers(attempt: AttemptRecord): RowsOf<typeof ownOfAttempt> {
  const { responseBody } = attempt
  return { ...attempt, responseBody: responseBody && utf8.decode(responseBody) }
}
