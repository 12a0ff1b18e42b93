import type { Where } from '../base/ports/store.ts'
import { leastIdAt } from '../kernel/ledger/ids.ts'
import { attemptDays } from './records.ts'

/** Attempts that one read brings: each may hold 64 KiB of an answer. */
export const attemptPiece = 16

const keptMs = attemptDays * 24 * 60 * 60 * 1_000

/** The attempts that lists show at `now` (ms). Their ids tell when they started. */
export function keptAttempts(now: number): Where[number] {
  return ['attemptId', '>=', leastIdAt('att', now - keptMs + 1)]
}
