import type { Key } from '../../base/ports/store.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { count } from '../../kernel/page.ts'
import { line, oneOf, type RowsOf, stored, text, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull } from '../../kernel/wrap.ts'

/** The phases of a purge, in their order. */
export const purgePhases = [
  'verify',
  'cases',
  'blobs',
  'keys',
  'scrub',
  'data',
  'configuration',
  'finish',
] as const
/** One of `purgePhases`. */
export type PurgePhase = (typeof purgePhases)[number]

/** The numbered step of a purge that a phase belongs to (interface, Purge). */
export const stepOfPhase: Readonly<Record<PurgePhase, number>> = {
  verify: 1,
  cases: 1,
  blobs: 2,
  keys: 3,
  scrub: 3,
  data: 4,
  configuration: 5,
  finish: 6,
}

/** What a purge removed. Rows are counted in the commit that removes them, blobs in the one that lists them before. */
export interface PurgeCounts {
  readonly sessions: number
  readonly blobs: number
  readonly salts: number
}

/** How far a purge has come. */
export interface PurgeProgress {
  readonly phase: PurgePhase
  /** Which part of the phase is at work. */
  readonly part: number
  /** The last key that the part looked at; null before the first. */
  readonly after: Key | null
  /** Blobs that are counted and still to be removed. */
  readonly blobs: readonly string[]
  readonly counts: PurgeCounts
}

/**
 * `queued`: under way, or to be tried again; `poisoned`: given up after its last try, until staff settles it;
 * `resolved`: its cause is settled, and the next sweep resumes it.
 */
export const purgeStates = ['queued', 'poisoned', 'resolved'] as const

/** Purges under way, the poisoned among them, from their beginning to their end. */
export const purges = table({
  name: 'purges',
  members: {
    tenantId: line(longest.id),
    applicationId: line(longest.id),
    /** Id of the purge, by which staff settles it once it is poisoned. */
    messageId: line(longest.id),
    state: oneOf(purgeStates),
    progress: stored<PurgeProgress>(),
    /** Failed tries since the last progress. */
    attempts: count,
    firstFailedAt: orNull(time),
    lastError: orNull(text(longest.detail)),
    startedAt: time,
  },
  key: ['tenantId', 'applicationId'],
  indexes: { byState: ['state', 'messageId'], byMessage: ['messageId'] },
  tenant: 'tenantId',
  purge: { part: 'application' },
  retain: { work: 'purge' },
})
/** One of `purges`. */
export interface Purge extends RowsOf<typeof purges.members> {}
