import type { Client } from './client.ts'
import type { Keys } from './keys.ts'
import type { LagMeter } from './lag.ts'
import type { Event } from './messages.ts'
import type { Probe, Sighting } from './probe.ts'

/** What a property may need beyond an endpoint that answers, and how to give it. */
export const needs = {
  stored: 'a probe (--probe URL or --probe-command COMMAND)',
  effects: 'a probe that tells `effects`',
  heads: 'a probe that tells `heads`',
  restart: 'a probe that can `restart` the receiver, or --restart COMMAND',
  clock: 'a probe that can set the receiver’s `clock`',
  delay: 'a probe that can `delay` the effects',
  storeFailure: 'a probe that can make the store fail (`storeFailure`)',
  keys: 'two or more keys that the receiver takes (--secret, --private-key)',
  secret: 'a shared secret among the keys (--secret)',
  legacy: 'the secret of the legacy family (--legacy-secret)',
} as const
export type Need = keyof typeof needs

/** What the properties of one run share. */
export interface Target {
  readonly client: Client
  readonly keys: Keys
  /** What the endpoint is sent where a history says an event (`EndpointKind`). */
  readonly messageOf: (event: Event) => Event
  /** Types of events in turn (`EndpointKind`). */
  readonly types: readonly string[]
  readonly probe: Probe | null
  /** Joined with other reads; rejects without a probe. */
  readonly read: Probe['read']
  readonly has: ReadonlySet<Need>
  /** Ms in which an answer counts; a sender waits 10,000. */
  readonly deadlineMs: number
  /** Ms that an effect may take to show. */
  readonly settleMs: number
  /** Ms after a kill until what the dead process held is handled: its leases have to end first. */
  readonly resumeMs: number
  /** The time of `performance.now()` at which the budget ends. */
  readonly until: number
  readonly lag: Pick<LagMeter, 'lagMs'>
  readonly tally: Tally
  /** Whether it answers a plain delivery at all; asked when something failed. */
  alive(): Promise<boolean>
}

/** What is counted over a run. */
export interface Tally {
  deliveries: number
  /** Ms of each plain delivery that was accepted, with little beside it. */
  readonly plainMs: number[]
  /** Events that were accepted before anything else, one of each family, whose copies come once more at the end of the run. */
  readonly firstEvents: Event[]
  /** Types of the events that were signed, by their ids. */
  readonly types: Map<string, string>
  /** Whether it was tried on which types beside those of review events the receiver acts. */
  triedActs: boolean
  /** Types of the events that were seen to have an effect. */
  readonly acted: Set<string>
  /** When ids were answered 2xx (`performance.now()`), but for those that were seen to have had their effect. */
  readonly accepted: Map<string, number>
  /** Set once a body was made that has no usable id: from then on the probe may show what it left. */
  sentMalformed: boolean
  /** Whether the probe ever showed an effect. */
  sawEffect: boolean
  /** Entries that the probe showed without a text for an id, as JSON. */
  readonly odd: Set<string>
  /** Those of them that are effects. */
  readonly oddEffects: Set<string>
  /** Ms of each acknowledgement under a burst. */
  readonly burstMs: number[]
  /** The longest that anything took to show at the probe, ms. */
  slowestSettle: number
  /** The property in which the receiver was first seen to be gone. */
  goneIn: string | null
  /** Ids of messages that had to be refused, with the transcript that sent them. */
  readonly banned: Map<string, () => readonly string[]>
}

export const createTally = (): Tally => ({
  deliveries: 0,
  plainMs: [],
  firstEvents: [],
  types: new Map(),
  triedActs: false,
  acted: new Set(),
  accepted: new Map(),
  sentMalformed: false,
  sawEffect: false,
  odd: new Set(),
  oddEffects: new Set(),
  burstMs: [],
  slowestSettle: 0,
  goneIn: null,
  banned: new Map(),
})

/** Whether an id of the banned ones left a trace; null when it did not. */
export function traceOf(id: string, seen: Sighting): string | null {
  if (seen.effects?.some((effect) => effect.id === id && effect.count > 0)) return 'had an effect'
  if (seen.stored.some((event) => event.id === id)) return 'was stored'
  return null
}
