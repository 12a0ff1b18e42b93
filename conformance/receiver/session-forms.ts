import type { LegacyKey, SigningKey } from '@countersign/core/signing'
import type { Client, Exchange } from './client.ts'
import type { Body, Event, Signed } from './messages.ts'
import type { Asked, Sighting } from './probe.ts'
import type { Target } from './target.ts'
import type { FamilyCounts } from './types.ts'
import type { Wire } from './wire.ts'

export interface SignChoice {
  /** Which of the receiver's keys signs, counted around; the first unless given. */
  readonly key?: number
  readonly keys?: readonly SigningKey[]
  readonly timestamp?: string
  /** Spells the message, given as JSON, in another way before it is signed. */
  readonly spell?: (text: string) => string
}

/** One history at the receiver: what is sent, what is expected of it, and the transcript of both. */
export interface Session {
  readonly target: Target
  readonly deliveries: () => number
  readonly transcript: () => readonly string[]
  readonly exchanges: () => readonly Wire[]
  key(at: number): SigningKey
  legacyKey(): LegacyKey
  /**
   * An event with its own members changed: of the next family in turn where the property is about every family, and
   * else the plain one of a review case.
   */
  event(change?: Body): Event
  /** What the endpoint is sent for an event, before it is signed. */
  message(event: Event): Event
  sign(event: Event, choice?: SignChoice): Signed
  /** Signs bytes that need not be an event. */
  signBytes(id: string, body: Uint8Array, label: string, choice?: SignChoice): Signed
  signLegacy(event: Event): Signed
  /** Sends and records; `expect` tells what was expected, or null when it came. */
  post(
    message: Signed,
    expect: (exchange: Exchange) => string | null,
    over?: Client,
  ): Promise<Exchange>
  /** Expects 2xx within the deadline. */
  accept(message: Signed): Promise<Exchange>
  /**
   * Has all of them under way at once: each sends its headers and half of its body, and when all have, the rest
   * follows. Expects nothing by itself; `each` is called as an answer comes.
   */
  together(
    messages: readonly Signed[],
    each?: (message: Signed, exchange: Exchange) => Promise<void>,
  ): Promise<readonly Exchange[]>
  /** Sends many, a few at a time, as one line of the transcript; expects 2xx for each. */
  flood(messages: readonly Signed[], what: string): Promise<void>
  /**
   * Expects an answer that is not 2xx. Its id must leave no trace, unless `known` says that it is also the id of a
   * message that is accepted; `cut` lets the receiver cut the connection instead of answering.
   */
  refuse(message: Signed, how?: { known?: boolean; cut?: boolean }): Promise<Exchange>
  /** What this message says must leave no trace. */
  ban(id: string): void
  /** Records what happens besides deliveries. */
  tell(line: string): void
  /** Reads until `check` has nothing to say any more; what it throws, or says for too long, fails the history. */
  settle(
    asked: Partial<Asked>,
    check: (seen: Sighting) => string | null,
    how?: { afterKill?: boolean },
  ): Promise<Sighting>
  /**
   * Nothing to say once each of these events is stored and had its effect, once; an event of a type on which the
   * receiver was never seen to act may have none.
   */
  eachOnce(ids: readonly string[]): (seen: Sighting) => string | null
  /** Those of these events that must have an effect. */
  acting(ids: readonly string[]): readonly string[]
  read(asked: Partial<Asked>): Promise<Sighting>
  /** Fails when a refused message of this history left a trace. */
  expectNoTrace(): Promise<void>
}

/** How a session goes about its history. */
export interface SessionOptions {
  /** How long a read may take to show what is expected, ms; the target's `settleMs` unless given. */
  readonly patienceMs?: () => number
  /**
   * Whether that is extended, for a receiver that is seen to work through what it accepted before, but not beyond
   * `until`; no unless given.
   */
  readonly isExtended?: () => boolean
  readonly until?: number
  /** Where among the types its events begin; null, as it is unless given, for plain events of review cases. */
  readonly start?: number | null
  /** What it signs is counted here. */
  readonly families?: FamilyCounts
}
