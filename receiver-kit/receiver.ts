import type { CasePosition, InboxTurn } from '@countersign/core/ports'
import { checkOptions } from './check-options.ts'
import { fold } from './events/fold.ts'
import { type Message, type ReceivedEvent, readEvent, readMessage } from './events/read-event.ts'
import { createHandlerLoop } from './handling/handler-loop.ts'
import { joinReceiver, type Receiver } from './join-receiver.ts'
import { createAuthenticator } from './receiving/authenticate.ts'
import { createEventScope, type EventScopeOptions } from './receiving/event-scope.ts'
import { readSettings, type Settings } from './settings.ts'

/** Place of an event in its case when its handler runs. */
export interface Place {
  /**
   * `head`: newest event of its case, act on it. `history`: a newer one was handled before, only record it.
   * `unordered`: belongs to no case.
   */
  readonly position: 'head' | 'history' | 'unordered'
  /** For `head` the head that it replaced, for `history` the newer one; null when there is none. */
  readonly previousHead: CasePosition | null
  /** Sequence numbers between this head and the one before: late events, or steps without a public event. */
  readonly skipped: number
}

/** Argument of `onEvent`. */
export interface EventTurn<E extends ReceivedEvent = ReceivedEvent> extends Place {
  readonly event: E
  /** The whole body, unknown members included. */
  readonly message: Message
  /** From 1; higher after a failure or a crash. */
  readonly attempt: number
  /** Ms since the epoch. */
  readonly receivedAt: number
}

/** Argument of `onUnreadable`: verified bytes that are no event; stored and acknowledged. */
export interface UnreadableTurn {
  readonly id: string
  readonly body: Uint8Array
  readonly detail: string
  readonly attempt: number
}

/** Options of `createReceiver`. */
export interface ReceiverOptions extends Settings, EventScopeOptions {
  /** Keys of the Standard Webhooks profile, all valid at once: `whpk_…` (Ed25519), `whsec_…` (shared secret). */
  readonly keys?: readonly string[]
  /** Secrets of the legacy family (`X-Service-Signature`), as they were given to the webhook. */
  readonly legacySecrets?: readonly string[]
  /** Runs after the acknowledgement, at least once per event; a rejection schedules a retry. */
  readonly onEvent: (turn: EventTurn) => void | Promise<void>
  readonly onUnreadable?: (turn: UnreadableTurn) => void | Promise<void>
}

/**
 * Creates a receiver of events: verifies, stores once, acknowledges, then runs the handler from the inbox. Events only
 * report; paused work resumes by the outcome callback (`createOutcomeCallbackHandler`).
 * Throws a SigningKeyError, TypeError or RangeError for invalid options.
 *
 * @example
 * ```ts
 * import { createReceiver, memoryInbox } from '@countersign/receiver-kit'
 *
 * const receiver = createReceiver({
 *   keys: ['whpk_GX9rI+FshTLGq8g4+s1ep4m+DHayzgM0A5i6i02j3h8='],
 *   inbox: memoryInbox(), // one that lasts outside of tests
 *   onEvent({ event, position }) {
 *     if (position === 'history' || event.type !== 'review.case.decided') return
 *     console.log(`${event.reviewCaseId} was ${event.decision}`)
 *   },
 * })
 * receiver.start()
 * export default { fetch: receiver.fetch }
 * ```
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  checkOptions(options, ['inbox', 'onEvent'])
  const { keys = [], legacySecrets = [], onEvent, onUnreadable } = options
  const { endpoint, handling, primitives } = readSettings(options)
  const scope = createEventScope(options)
  const loop = createHandlerLoop({ ...handling, topic: 'event' }, async (turn) => {
    const { attempt } = turn
    const { id, body, receivedAt } = turn.entry
    const read = readMessage(body)
    if (!read.ok) return onUnreadable?.({ id, body, detail: read.detail, attempt })
    const message = read.value
    // Stored by another receiver that shares the inbox; left for that receiver.
    const foreign = scope.foreign(message)
    if (foreign !== null) throw new Error(`${foreign}: give each receiver an inbox of its own`)
    return onEvent({ event: readEvent(message), message, ...placeOf(turn), attempt, receivedAt })
  })
  const authenticator = createAuthenticator({ keys, legacySecrets }, primitives)
  return joinReceiver(endpoint, { authenticator, admit: scope.admit }, loop)
}

function placeOf({ entry, caseHead }: InboxTurn): Place {
  const { position } = entry
  if (position === null || caseHead === null)
    return { position: 'unordered', previousHead: null, skipped: 0 }
  const { head, previous } = caseHead
  if (fold(head, position).kind === 'stale')
    return { position: 'history', previousHead: head, skipped: 0 }
  const place = fold(previous, position)
  const skipped = place.kind === 'head' ? place.skipped : 0
  return { position: 'head', previousHead: previous, skipped }
}
