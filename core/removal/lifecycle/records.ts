import type { Collection, Key } from '../../base/ports/store.ts'

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

/** The step of the interface that a phase belongs to (interface, Purge). */
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

/** What a purge removed, each thing counted in the commit that removes it, or that resolves to. */
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
 * `queued`: at work; `poisoned`: given up after its last try, for the operators; `resolved`: the cause is settled, and
 * the next sweep takes the purge up again.
 */
export type PurgeState = 'queued' | 'poisoned' | 'resolved'

/** A purge from its beginning to its end. */
export interface Purge {
  readonly tenantId: string
  readonly applicationId: string
  readonly messageId: string
  readonly state: PurgeState
  readonly progress: PurgeProgress
  /** Failed tries since the last progress. */
  readonly attempts: number
  readonly firstFailedAt: number | null
  readonly lastError: string | null
  readonly startedAt: number
}

/** Purges under way, the poisoned among them. */
export const purges: Collection<Purge> = {
  name: 'purges',
  key: ['tenantId', 'applicationId'],
  columns: { tenantId: 'text', applicationId: 'text', messageId: 'text', state: 'text' },
  indexes: { byState: ['state', 'messageId'], byMessage: ['messageId'] },
  tenant: 'tenantId',
  purge: { part: 'application' },
  retain: { work: 'purge' },
}
