import type { CasePosition, InboxTurn } from '@countersign/core/ports'
import { checkOptions } from './check-options.ts'
import { fold } from './events/fold.ts'
import { type Message, type ReceivedEvent, readEvent, readMessage } from './events/read-event.ts'
import { createHandlerLoop } from './handling/handler-loop.ts'
import { joinReceiver, type Receiver } from './join-receiver.ts'
import { createAuthenticator } from './receiving/authenticate.ts'
import { createEventScope, type EventScopeOptions } from './receiving/event-scope.ts'
import { readSettings, type Settings } from './settings.ts'

/** Where an event stands in its case when its handler's turn comes. */
export interface Place {
  /**
   * `head`: the newest of its case, act on it. `history`: the handler had a newer one before, only take note.
   * `unordered`: it belongs to no case.
   */
  readonly position: 'head' | 'history' | 'unordered'
  /** For a head the one that it replaced, for history the newer one; null when there is none. */
  readonly previousHead: CasePosition | null
  /** Sequence numbers between a head and the one before: they may come late, or have no public event. */
  readonly skipped: number
}

/** An event at its handler. */
export interface EventTurn<E extends ReceivedEvent = ReceivedEvent> extends Place {
  readonly event: E
  /** The whole body as it came, members included that no type names. */
  readonly message: Message
  /** From 1; more after a failure or a crash. */
  readonly attempt: number
  /** Ms since the epoch. */
  readonly receivedAt: number
}

/** Authentic bytes that are no event: kept, acknowledged, and shown. */
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
  /** Runs after the acknowledgement, at least once for each event; what it throws brings the event back later. */
  readonly onEvent: (turn: EventTurn) => void | Promise<void>
  readonly onUnreadable?: (turn: UnreadableTurn) => void | Promise<void>
}

/**
 * The receiver of events: verify, store once, acknowledge; then the handler, out of the inbox. An event only
 * reports: what resumes paused work is the outcome callback (`createOutcomeCallbackHandler`).
 * Throws a SigningKeyError, TypeError or RangeError for options that can't work.
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
    if (scope.isForeign(message)) {
      endpoint.observer.event('receiver.foreign_application', { id, type: message.type })
      return
    }
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
