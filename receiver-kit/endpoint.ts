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

  /** Whether it is durable, now or since before. */
  async function store(entry: InboxEntry, unreadable: string | null): Promise<boolean> {
    storing += 1
    try {
      const stored = await inbox.store(entry)
      report(stored, entry, unreadable)
      if (stored.kind === 'stored') rules.onStored()
      return true
    } catch (error) {
      observer.event('receiver.store_failed', { id: entry.id, detail: String(error) })
      return false
    } finally {
      storing -= 1
    }
  }

  /** False also when the time is over; a store that ends later is harmless, for the sender's next try finds the id. */
  function inTime(storing: Promise<boolean>, leftMs: number, id: string): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = clock.after(leftMs, () => {
        observer.event('receiver.store_slow', { id, ackDeadlineMs })
        resolve(false)
      })
      void storing.then((durable) => {
        cancel()
        resolve(durable)
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
    const { entry, unreadable, answer } = admission
    const stored = store({ ...entry, receivedAt: now }, unreadable)
    return (await inTime(stored, leftMs, entry.id)) ? answer : refusalAnswer('not_stored')
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
