import type { Clock, Inbox, InboxEntry, Observer, Stored } from '@countersign/core/ports'
import type { HeaderSource } from '@countersign/core/signing'
import { type Answer, type RefusalCode, refusalAnswer } from './answer.ts'
import type { Authenticate, Proof } from './authenticate.ts'
import { tooLarge } from './raw-body.ts'

/** One request as a shell hands it over; the body raw, as it travelled. */
export interface Inbound {
  readonly method: string
  readonly headers: HeaderSource
  readonly body: Uint8Array
}

/** What the shells of the hosts bind to: the protocol, free of any request or response object. */
export interface Endpoint {
  /** Bytes; a longer body is refused unread. */
  readonly maxBodyBytes: number
  /** Ms from a request's arrival in which it is answered, its body's reading included. */
  readonly ackDeadlineMs: number
  readonly clock: Clock
  /** Verifies, stores, answers; `arrivedAt` is the clock's monotonic time. Never rejects. */
  answer(inbound: Inbound, arrivedAt: number): Promise<Answer>
  /** The refusal of a request that a shell could not read; the detail goes to the observer alone. */
  refuse(code: RefusalCode, detail: string): Answer
}

export interface EndpointOptions {
  readonly inbox: Inbox
  readonly clock: Clock
  readonly observer: Observer
  readonly ackDeadlineMs: number
  readonly maxBodyBytes: number
  /** Messages being stored at once; more are refused, so that a store that hangs does not fill the memory. */
  readonly maxStoring: number
}

export type Authentic = Proof & { readonly ok: true }

/** What an endpoint does with a message that is authentic. */
export type Admission =
  | {
      readonly ok: true
      readonly entry: Omit<InboxEntry, 'receivedAt'>
      readonly answer: Answer
      /** Why it could not be read, though it is kept. */
      readonly unreadable: string | null
    }
  | { readonly ok: false; readonly code: RefusalCode; readonly detail: string }

export interface EndpointRules {
  readonly authenticate: Authenticate
  readonly admit: (proof: Authentic, body: Uint8Array) => Admission
  /** Called after each answer behind which a new entry lies. */
  readonly onStored: () => void
}

export function createEndpoint(options: EndpointOptions, rules: EndpointRules): Endpoint {
  const { inbox, clock, observer, ackDeadlineMs, maxBodyBytes, maxStoring } = options
  let storing = 0

  function refuse(code: RefusalCode, detail: string): Answer {
    observer.event('receiver.refused', { code, detail })
    return refusalAnswer(code)
  }

  /** Null when the inbox failed. */
  async function store(entry: InboxEntry): Promise<Stored | null> {
    storing += 1
    try {
      const stored = await inbox.store(entry)
      if (stored.kind === 'stored') rules.onStored()
      return stored
    } catch (error) {
      observer.event('receiver.store_failed', { id: entry.id, detail: String(error) })
      return null
    } finally {
      storing -= 1
    }
  }

  /** Null also when the time is over; a store that ends later is harmless, for the sender's next try finds the id. */
  function storeInTime(entry: InboxEntry, leftMs: number): Promise<Stored | null> {
    return new Promise((resolve) => {
      const cancel = clock.after(leftMs, () => {
        observer.event('receiver.store_slow', { id: entry.id, ackDeadlineMs })
        resolve(null)
      })
      void store(entry).then((stored) => {
        cancel()
        resolve(stored)
      })
    })
  }

  async function receive(inbound: Inbound, arrivedAt: number): Promise<Answer> {
    const { method, headers, body } = inbound
    if (method !== 'POST') return refuse('method_not_allowed', `expected POST, got ${method}`)
    if (body.length > maxBodyBytes) return refuse('body_too_large', tooLarge(maxBodyBytes))
    const now = clock.now()
    const proof = rules.authenticate(headers, body, now)
    if (!proof.ok) return refuse(proof.code, proof.detail)
    const admission = rules.admit(proof, body)
    if (!admission.ok) return refuse(admission.code, admission.detail)

    const leftMs = ackDeadlineMs - (clock.monotonic() - arrivedAt)
    if (leftMs <= 0) return refuse('not_stored', `${ackDeadlineMs} ms had gone before the store`)
    if (storing >= maxStoring)
      return refuse(
        'not_stored',
        `${storing} messages are being stored, expected at most that many`,
      )
    const stored = await storeInTime({ ...admission.entry, receivedAt: now }, leftMs)
    if (stored === null) return refusalAnswer('not_stored')
    report(stored, admission)
    return admission.answer
  }

  function report(stored: Stored, admission: Admission & { readonly ok: true }): void {
    const { id, type } = admission.entry
    if (stored.kind === 'stored') {
      observer.event('receiver.stored', { id, type })
      if (admission.unreadable !== null)
        observer.event('receiver.unreadable', { id, detail: admission.unreadable })
    } else {
      observer.event('receiver.duplicate', { id, type, sameBody: stored.sameBody })
      if (!stored.sameBody) observer.event('receiver.body_differs', { id, type })
    }
  }

  return {
    maxBodyBytes,
    ackDeadlineMs,
    clock,
    refuse,
    async answer(inbound, arrivedAt) {
      try {
        return await receive(inbound, arrivedAt)
      } catch (error) {
        return refuse('internal', String(error))
      }
    },
  }
}
