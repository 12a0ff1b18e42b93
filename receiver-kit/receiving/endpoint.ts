import type { Clock, Inbox, InboxEntry, Stored } from '@countersign/core/ports'
import type { HeaderSource } from '@countersign/core/signing'
import type { InboxHealth } from '../handling/inbox-health.ts'
import type { ReceiverObserver } from '../observed-events.ts'
import {
  acknowledgement,
  type ReceiverAnswer,
  type ReceiverRefusalCode,
  refusalAnswer,
} from './answer.ts'
import type { Authenticator, Proof, Unproven } from './authenticate.ts'
import { noRoom, parsedBody, tooLarge } from './body-faults.ts'
import { type BodyRoom, createBodyRoom } from './body-room.ts'

/** One HTTP request from a host; `body` is the raw bytes. */
export interface Inbound {
  readonly method: string
  readonly headers: HeaderSource
  readonly body: Uint8Array
}

/** Anything that a host can mount: a receiver, an outcome handler, a test probe. */
export interface Mountable {
  readonly endpoint: Endpoint
}

/** The receiving protocol, independent of any request or response type; hosts bind to it. */
export interface Endpoint {
  /** Longest body in bytes; hosts stop reading beyond it. */
  readonly maxBodyBytes: number
  /** Ms from arrival to answer, reading the body included. */
  readonly ackDeadlineMs: number
  readonly clock: Clock
  /** Hosts count in it what they hold of a body that they read, and release it before `answer`. */
  readonly room: BodyRoom
  /** Refuses by method and headers alone, before the body is read; null to continue. */
  screen(head: Pick<Inbound, 'method' | 'headers'>): ReceiverAnswer | null
  /** Verifies, stores and answers. `arrivedAt` is the clock's monotonic time. Never rejects. */
  answer(inbound: Inbound, arrivedAt: number): Promise<ReceiverAnswer>
  /** The answer to a request that a host could not read; `detail` goes to the observer only. */
  refuse(code: ReceiverRefusalCode, detail: string): ReceiverAnswer
  /** Number of stores in progress. */
  storing(): number
}

export interface EndpointOptions {
  readonly inbox: Inbox
  readonly clock: Clock
  readonly observer: ReceiverObserver
  readonly health: InboxHealth
  readonly ackDeadlineMs: number
  readonly maxBodyBytes: number
  /** Bytes of all bodies that are read or stored. */
  readonly maxHeldBytes: number
  /** Backpressure: most concurrent stores; bounds memory while the inbox hangs. */
  readonly maxStoring: number
}

export type Authentic = Proof & { readonly ok: true }

export interface Admitted {
  readonly ok: true
  readonly entry: Omit<InboxEntry, 'receivedAt'>
  readonly answer: ReceiverAnswer
  /** Why the stored bytes could not be parsed; null when they could. */
  readonly unreadable: string | null
}

/** A message for another receiver of the organization: acknowledged, not stored. */
export interface Skipped {
  readonly ok: true
  readonly entry: null
  readonly id: string
  readonly type: string
}

/** Decision about a verified message. */
export type Admission =
  | Admitted
  | Skipped
  | { readonly ok: false; readonly code: ReceiverRefusalCode; readonly detail: string }

export interface EndpointRules {
  readonly authenticator: Authenticator
  readonly admit: (proof: Authentic, body: Uint8Array) => Admission
  /** Refusal of a duplicate id with another body; without it, acknowledged and reported. */
  readonly onBodyDiffers?: (entry: InboxEntry) => Omit<Unproven, 'ok'>
  /** Called after a new entry is stored. */
  readonly onStored: () => void
}

export function createEndpoint(options: EndpointOptions, rules: EndpointRules): Endpoint {
  const { inbox, clock, observer, health, ackDeadlineMs, maxBodyBytes, maxStoring } = options
  const room = createBodyRoom(options.maxHeldBytes)
  let storing = 0

  function refuse(code: ReceiverRefusalCode, detail: string): ReceiverAnswer {
    observer.event('receiver.refused', { code, detail })
    return refusalAnswer(code)
  }

  /** Acknowledges once the entry is durable, also as a duplicate; `not_stored` when the inbox fails. */
  async function store(entry: InboxEntry, admitted: Admitted): Promise<ReceiverAnswer> {
    storing += 1
    try {
      const stored = await health.watch(inbox.store(entry))
      if (stored.kind === 'stored') rules.onStored()
      else if (!stored.sameBody && rules.onBodyDiffers) {
        const { code, detail } = rules.onBodyDiffers(entry)
        return refuse(code, detail)
      }
      report(stored, entry, admitted.unreadable)
      return admitted.answer
    } catch (error) {
      observer.event('receiver.store_failed', { id: entry.id, detail: String(error) })
      return refusalAnswer('not_stored')
    } finally {
      storing -= 1
    }
  }

  /** `not_stored` after the deadline. A store that completes later is harmless: the retry is a duplicate. */
  function inTime(
    storing: Promise<ReceiverAnswer>,
    leftMs: number,
    id: string,
  ): Promise<ReceiverAnswer> {
    return new Promise((resolve) => {
      const cancel = clock.after(leftMs, () => {
        observer.event('receiver.store_slow', { id, ackDeadlineMs })
        resolve(refusalAnswer('not_stored'))
      })
      void storing.then((answer) => {
        cancel()
        resolve(answer)
      })
    })
  }

  function screen({ method, headers }: Pick<Inbound, 'method' | 'headers'>): ReceiverAnswer | null {
    if (method !== 'POST') return refuse('method_not_allowed', `expected POST, got ${method}`)
    const unproven = rules.authenticator.screen(headers)
    return unproven && refuse(unproven.code, unproven.detail)
  }

  /** `holdUntil` keeps the body counted until a store of it ends, however late. */
  async function receive(
    inbound: Inbound,
    arrivedAt: number,
    holdUntil: (stored: Promise<unknown>) => void,
  ): Promise<ReceiverAnswer> {
    const { method, headers, body } = inbound
    if (method !== 'POST') return refuse('method_not_allowed', `expected POST, got ${method}`)
    // Untyped callers may pass a parsed body.
    if (!(body instanceof Uint8Array)) return refuse('body_already_parsed', parsedBody)
    if (body.length > maxBodyBytes) return refuse('body_too_large', tooLarge(maxBodyBytes))
    const now = clock.now()
    const proof = rules.authenticator.prove(headers, body, now)
    if (!proof.ok) return refuse(proof.code, proof.detail)
    const admission = rules.admit(proof, body)
    if (!admission.ok) return refuse(admission.code, admission.detail)
    const { entry } = admission
    if (entry === null) {
      observer.event('receiver.foreign_application', { id: admission.id, type: admission.type })
      return acknowledgement
    }

    const leftMs = ackDeadlineMs - (clock.monotonic() - arrivedAt)
    if (leftMs <= 0) return refuse('not_stored', `${ackDeadlineMs} ms had gone before the store`)
    if (storing >= maxStoring)
      return refuse(
        'not_stored',
        `${storing} messages are being stored, expected at most that many`,
      )
    const stored = store({ ...entry, receivedAt: now }, admission)
    holdUntil(stored)
    return inTime(stored, leftMs, entry.id)
  }

  function report(stored: Stored, { id, type }: InboxEntry, unreadable: string | null): void {
    if (stored.kind === 'stored') {
      observer.event('receiver.stored', { id, type })
      if (unreadable !== null) observer.event('receiver.unreadable', { id, detail: unreadable })
    } else {
      observer.event('receiver.duplicate', { id, type, sameBody: stored.sameBody })
      if (!stored.sameBody) observer.event('receiver.body_differs', { id, type })
    }
  }

  return {
    maxBodyBytes,
    ackDeadlineMs,
    clock,
    room,
    refuse,
    storing: () => storing,
    screen(head) {
      try {
        return screen(head)
      } catch (error) {
        return refuse('internal', String(error))
      }
    },
    async answer(inbound, arrivedAt) {
      let stored: Promise<unknown> | null = null
      const release = () => room.release(inbound)
      try {
        if (!room.hold(inbound, inbound.body?.length ?? 0)) return refuse('busy', noRoom)
        return await receive(inbound, arrivedAt, (storing) => {
          stored = storing.then(release)
        })
      } catch (error) {
        return refuse('internal', String(error))
      } finally {
        if (!stored) release()
      }
    },
  }
}
