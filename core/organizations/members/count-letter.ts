import { letterHourMs, lettersPerHour } from '../../kernel/ledger/limits.ts'
import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import type { Unit } from '../../kernel/unit.ts'
import { countedLetters } from '../access/records.ts'

/** What counting letters needs of a unit. */
export type Counting<Code extends RefusalCode> = Pick<Unit<null, Code>, 'now' | 'ask' | 'put'>

/** One more letter among those of the last hour: sent, sent as the last one of it, or left out. */
export type Place = 'sent' | 'last' | 'left out'

/**
 * The place of one more letter of a kind, where it is recorded. Two units that count at the same time meet in the row.
 * `kind`: of `letters`, or another name for letters that are counted together.
 */
export async function countLetter<Code extends RefusalCode>(
  unit: Counting<Code>,
  tenantId: string,
  kind: string,
): Promise<Place> {
  const { now } = unit
  const { was } = await unit.ask({ was: countedLetters.get(tenantId, kind) })
  const { place, sentAt } = placeOf(was?.row.sentAt ?? [], now)
  if (place !== 'left out')
    unit.put(countedLetters, { tenantId, kind, sentAt, lastSentAt: now }, was)
  return place
}

/** The place of one more letter among those that were sent at these times, and the times of the last hour with it. */
export function placeOf(
  earlier: readonly number[],
  now: number,
): { readonly place: Place; readonly sentAt: readonly number[] } {
  const sentAt = earlier.filter((at) => now - at < letterHourMs)
  if (sentAt.length >= lettersPerHour) return { place: 'left out', sentAt }
  const place = sentAt.length === lettersPerHour - 1 ? 'last' : 'sent'
  return { place, sentAt: [...sentAt, now] }
}
