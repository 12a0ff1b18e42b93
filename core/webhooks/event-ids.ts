import { leastIdAt } from '../kernel/ledger/ids.ts'

/** What no id of an event that was made at this time (ms) or later sorts before; times beyond those of ids are clamped. */
export function leastEventIdAt(ms: number): string {
  return leastIdAt('evt', Math.min(Math.max(0, ms), 2 ** 48 - 1))
}
