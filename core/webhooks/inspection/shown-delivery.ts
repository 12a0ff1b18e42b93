import type { Versioned } from '../../base/ports/store.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { object, showAll } from '../../kernel/members.ts'
import { count } from '../../kernel/page.ts'
import { line, type Named, type OutsOf, oneOf, text, time, whole } from '../../kernel/shape.ts'
import { fromOne } from '../../kernel/usual.ts'
import { orNull } from '../../kernel/wrap.ts'
import { lastAttemptBy } from '../../outbox/machine.ts'
import type { Delivery, DeliveryKind } from '../../outbox/records.ts'
import { type StatusView, statusOf } from '../../outbox/status.ts'

const id = line(longest.id)

/** One event or notice owed to a webhook, and what became of it. */
export const shownDelivery = {
  deliveryId: id,
  eventId: id,
  eventType: id,
  family: oneOf(['standard', 'legacy']),
  /** An event that the webhook selected, a notice about the webhook itself, or a test; only events are replayed. */
  kind: oneOf(['event', 'notice', 'test']),
  status: oneOf(['pending', 'delivering', 'retry_scheduled', 'delivered', 'dead_lettered']),
  /** From 1; each replay or recovery opens the next. */
  round: fromOne,
  /** Of this round, the one under way included. */
  attempts: count,
  /** Of the last attempt that ended, in whatever round; null before. */
  lastAttemptAt: orNull(time),
  lastResponseStatus: orNull(whole(0, 999)),
  lastError: orNull(text(longest.detail)),
  /** Null while an attempt is under way, and once the round has ended. */
  nextAttemptAt: orNull(time),
  /** When the round's last attempt is due; null before the first, once the round has ended, and of the legacy family. */
  deadlineAt: orNull(time),
  createdAt: time,
}

/** One event or notice owed to a webhook, and what became of it. */
export interface DeliveryView extends OutsOf<typeof shownDelivery> {}
/** The answer that is one delivery. */
export const deliveryShape: Named<typeof shownDelivery, DeliveryView> = object(
  shownDelivery,
  'Delivery',
)

/** The members of a delivery that readers see, as they are stored. */
export function deliveryMembers(
  found: Versioned<Delivery>,
  view: StatusView,
): Parameters<typeof deliveryShape.show>[0] {
  const { row } = found
  const status = statusOf(found, view)
  const waits = status === 'pending' || status === 'retry_scheduled'
  return {
    deliveryId: row.deliveryId,
    eventId: row.messageId,
    eventType: row.type,
    family: row.family,
    kind: kindOf(row.kind),
    status,
    round: row.round,
    attempts: row.attempts,
    lastAttemptAt: row.lastAttemptAt,
    lastResponseStatus: row.lastResponseStatus,
    lastError: row.lastError,
    nextAttemptAt: waits ? row.due : null,
    deadlineAt: waits || status === 'delivering' ? lastAttemptBy(row) : null,
    createdAt: row.createdAt,
  }
}

/** A delivery as readers see it. */
export function deliveryView(found: Versioned<Delivery>, view: StatusView): DeliveryView {
  return showAll(shownDelivery, deliveryMembers(found, view))
}

/** What is owed to webhooks has these kinds alone. */
function kindOf(kind: DeliveryKind): 'event' | 'notice' | 'test' {
  if (kind === 'event' || kind === 'notice' || kind === 'test') return kind
  throw new Error(`a delivery of kind ${kind} to a webhook`)
}
