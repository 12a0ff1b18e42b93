import type { ChangeSet } from '../base/ports/store.ts'
import type { ExchangeResult } from '../base/ports/transport.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import type { AttemptRecord, Delivery, DeliveryKind } from './records.ts'

/** A part of a change set, to be merged with what the outbox itself commits. */
export type Parts = Pick<ChangeSet, 'checks' | 'puts' | 'removes' | 'appends' | 'adds'>

export type Headers = Readonly<Record<string, string>>

/** Headers and signatures of one attempt; made for each attempt, since the timestamp is signed. A promise where another thread signs. */
export type SignAttempt = (input: {
  readonly messageId: string
  readonly body: Uint8Array
  readonly family: Delivery['family']
  /** Wall time, ms. */
  readonly now: number
}) => Headers | Promise<Headers>

/** Where an endpoint's deliveries go at this moment. */
export interface Endpoint {
  readonly endpointId: string
  readonly tenantId: string
  readonly url: string
  readonly sign: SignAttempt
  /** Whether this delivery is still wanted; one that is not is dead-lettered without a POST. */
  admits(delivery: Delivery): boolean
  /** While true nothing is sent; a delivery is given up only when its last scheduled attempt is due. */
  readonly paused?: boolean
}

/** What an attempt did to a delivery; `answer` is null when nothing was sent (not admitted, attempts spent). */
export interface SettledAttempt {
  readonly before: Delivery
  readonly after: Delivery
  readonly answer: ExchangeResult | null
  readonly endpoint: Endpoint | null
}

/**
 * A use of the outbox, registered by the room that owns it, so that the outbox never imports who uses it:
 * where its lanes lead, and what success or giving up entails.
 */
export interface Kind {
  readonly name: DeliveryKind
  /**
   * The collections whose rows decide where the lanes lead; a change of one, committed in this process, is seen before
   * the next POST.
   */
  readonly watches: readonly string[]
  /** The endpoints of these lanes as the store has them now; a lane without an endpoint is absent (deleted). */
  endpoints(endpointIds: readonly string[], now: number): Promise<ReadonlyMap<string, Endpoint>>
  /**
   * The bytes that are signed and sent, for a body that its room seals at rest or renders; absent: as stored. A promise
   * where that takes a read.
   */
  open?(
    stored: {
      readonly tenantId: string
      readonly messageId: string
      readonly body: Uint8Array
    },
    endpoint: Endpoint,
  ): Uint8Array | Promise<Uint8Array>
  /** Whether this outcome entails anything at all; asked for each settle, so it must not read. */
  entails(settled: SettledAttempt): boolean
  /** What must be committed together with the settle; runs again when a row that it read has moved. */
  consequences(settled: SettledAttempt, unit: UnitOfWork): Promise<Parts>
}

/** Lets fan-out pre-lease to the local dispatcher. */
export interface Intake {
  offer(endpointId: string): { readonly owner: string; readonly until: number } | null
}

/** Tells what became of a delivery's next attempt. */
export interface Outcomes {
  /**
   * The record of the next attempt that this process settles; null when none has been after `withinMs`.
   * Ask before the commit that owes the delivery.
   */
  next(endpointId: string, messageId: string, withinMs: number): Promise<AttemptRecord | null>
}

/** Takes nothing: every delivery waits to be claimed. */
export const noIntake: Intake = { offer: () => null }
