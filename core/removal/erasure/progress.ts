import type { ChangeSet, Key } from '../../base/ports/store.ts'
import type { Block, Phase } from './machine.ts'
import type { ErasureCounts } from './records.ts'

/** The session of the subject that is being erased. */
export interface SessionCursor {
  readonly applicationId: string
  readonly sessionId: string
  readonly stage: 'steps' | 'session' | 'keys' | 'cases' | 'parts'
  /** Place of the last step, the last alias, or rows passed, of the stage. */
  readonly after: string | null
  readonly skip: number
  /** Content of another subject, or newer than the erasure, is left. */
  readonly kept: boolean
  /** Content under a key that the subject got since was met. */
  readonly later: boolean
  /** Content of a step was taken. */
  readonly taken: boolean
}

/** A place in the walk over all sessions that have data of the subject: their own first, then those of their steps. */
export interface Walk {
  readonly of: 'sessions' | 'steps'
  /** Key of the last row that is done. */
  readonly after: Key | null
}

/** The beginning of the walk. */
export const wholeWalk: Walk = { of: 'sessions', after: null }

/** How far an erasure has come; kept in its work item and moved by each commit. */
export interface Progress {
  readonly phase: Phase
  /** Where `shred` goes on; null once it is through. */
  readonly walk: Walk | null
  /** Key of the last session that is done. */
  readonly after: Key | null
  readonly session: SessionCursor | null
  /** Key of the last step of other sessions. */
  readonly step: Key | null
  /** Key of the last case that named the subject and is done. */
  readonly case: Key | null
  readonly counts: ErasureCounts
}

/** Before the first commit. */
export const waiting: Progress = {
  phase: 'waiting',
  walk: wholeWalk,
  after: null,
  session: null,
  step: null,
  case: null,
  counts: { applications: 0, sessions: 0, payloads: 0, cases: 0, annotations: 0 },
}

/** The counts with more of one. */
export function counted(counts: ErasureCounts, more: Partial<ErasureCounts>): ErasureCounts {
  const sum = (name: keyof ErasureCounts) => counts[name] + (more[name] ?? 0)
  return {
    applications: sum('applications'),
    sessions: sum('sessions'),
    payloads: sum('payloads'),
    cases: sum('cases'),
    annotations: sum('annotations'),
  }
}

/** What a run of a phase does. */
export interface PhaseStep {
  readonly set?: Omit<ChangeSet, 'tenant'>
  /** Absent keeps the progress as it is. */
  readonly state?: Progress
  /** The phase has more to do. */
  readonly isLeft: boolean
  /** Absent: nothing. */
  readonly blockedBy?: Block
  /** There is more to do immediately, although the phase is blocked. */
  readonly goesOn?: boolean
}

/** A piece of a phase that has more to do where it is, and what it adds to the counts. */
export function goingOn(
  progress: Progress,
  set: PhaseStep['set'],
  more: Partial<ErasureCounts>,
): PhaseStep {
  const state = { ...progress, counts: counted(progress.counts, more) }
  return { ...(set && { set }), isLeft: true, state }
}
