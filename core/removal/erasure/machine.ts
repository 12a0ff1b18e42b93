import type { ErasureRequest } from './records.ts'

/**
 * An erasure's phases in their order. `waiting` ends with its first commit, from which on nothing of the subject is
 * shown: `shred` destroys keys and cancels cases, `packages` removes archives, `scrub` makes both final on disk;
 * `sessions`, `steps` and `cases` remove the content, unreadable by then; `callbacks` waits for outcomes that are still being sent.
 */
export const phases = [
  'waiting',
  'shred',
  'packages',
  'scrub',
  'sessions',
  'steps',
  'cases',
  'callbacks',
  'finish',
] as const
/** One of `phases`. */
export type Phase = (typeof phases)[number]

/** What blocks an erasure: a legal hold, a session that is being re-homed, or an outcome that is being sent. */
export type Block = 'hold' | 'move' | 'callback'

/** What a run of a phase found. */
export interface PhaseFacts {
  readonly blockedBy: Block | null
  /** The phase has more to do. */
  readonly isLeft: boolean
}

/** The phase of the next run. */
export function nextPhase(phase: Phase, { blockedBy, isLeft }: PhaseFacts): Phase {
  if (blockedBy !== null || isLeft) return phase
  return phases[phases.indexOf(phase) + 1] ?? phase
}

/** Status and `waitingFor` of a request, by what blocks it. */
export function shownAs(block: Block | null): Pick<ErasureRequest, 'status' | 'waitingFor'> {
  if (block === 'hold') return { status: 'blocked_by_hold', waitingFor: 'hold' }
  return { status: 'scheduled', waitingFor: block === 'callback' ? 'callback' : null }
}

const minute = 60_000

/** Ms until a block is checked again. The release of a hold wakes the request immediately. */
const checkAfterMs: Readonly<Record<Block, number>> = {
  hold: 60 * minute,
  move: 1_000,
  callback: 10 * minute,
}
/** How long outcomes of erased cases are still sent, in ms from the erasure's first commit. */
export const outcomesMs: number = 72 * 60 * minute

/** When a blocked erasure is checked again: at the latest when outcomes that are still being sent must end. */
export function checkAt(
  block: Block,
  { now, begunAt }: { readonly now: number; readonly begunAt: number | null },
): number {
  const outcomesEnd = begunAt === null ? now : begunAt + outcomesMs
  const usual = now + checkAfterMs[block]
  return outcomesEnd > now ? Math.min(usual, outcomesEnd) : usual
}
