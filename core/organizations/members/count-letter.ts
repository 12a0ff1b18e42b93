import { letterHourMs, lettersOfKindPerHour, lettersPerHour } from '../../kernel/ledger/limits.ts'
import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import type { Unit } from '../../kernel/unit.ts'
import { countedLetters } from '../access/records.ts'
import { hashKeyText } from '../api-keys/key-text.ts'

/** What counting letters needs of a unit. */
export type Counting<Code extends RefusalCode> = Pick<Unit<null, Code>, 'now' | 'ask' | 'put'>

/** One more letter among those of the last hour: sent, sent as the last one of it, or left out. */
export type Place = 'sent' | 'last' | 'left out'

/** What a letter is counted as. */
export interface Counted {
  readonly kind: string
  /** Whom or what it is about, of which `lettersPerHour` are sent; null: all of the kind are about one thing. */
  readonly about: string | null
  /** Whether `lettersOfKindPerHour` bounds what is sent of the kind about everything; not where each goes to another member. */
  readonly inAll?: boolean
}

/**
 * Counts one more letter, and yields what ends its text: nothing, or for the last one within an hour that no more are sent.
 * Null where it is left out, which counts nothing. Two units that count at the same time meet in the rows.
 */
export async function countLetter<Code extends RefusalCode>(
  unit: Counting<Code>,
  tenantId: string,
  { kind, about, inAll = about !== null }: Counted,
): Promise<string | null> {
  const { now } = unit
  // As a hash: a row names nothing that may be removed before it ends.
  const ofOne = about === null ? kind : `${kind} about ${hashKeyText(about)}`
  const limits = [
    {
      kind: ofOne,
      most: lettersPerHour,
      end: lastOfOne,
    },
    ...(inAll ? [{ kind, most: lettersOfKindPerHour, end: lastOfKind }] : []),
  ]
  const counted = []
  for (const limit of limits) {
    const { was } = await unit.ask({ was: countedLetters.get(tenantId, limit.kind) })
    counted.push({ ...limit, was, ...placeOf(was?.row.sentAt ?? [], now, limit.most) })
  }
  if (counted.some(({ place }) => place === 'left out')) return null
  for (const { kind, sentAt, was } of counted)
    unit.put(countedLetters, { tenantId, kind, sentAt, lastSentAt: now }, was)
  return counted.findLast(({ place }) => place === 'last')?.end ?? ''
}

/** The place of one more letter among those that were sent at these times, and the times of the last hour with it. */
export function placeOf(
  earlier: readonly number[],
  now: number,
  most: number = lettersPerHour,
): { readonly place: Place; readonly sentAt: readonly number[] } {
  const sentAt = earlier.filter((at) => now - at < letterHourMs)
  if (sentAt.length >= most) return { place: 'left out', sentAt }
  const place = sentAt.length === most - 1 ? 'last' : 'sent'
  return { place, sentAt: [...sentAt, now] }
}

const where = 'look at the audit log, and at who your admins are.\n'
const lastOfOne = `\nThis has happened ${lettersPerHour} times within an hour. Until the hour is over no more letters of this kind are sent about the same: ${where}`
const lastOfKind = `\nThis has happened ${lettersOfKindPerHour} times within an hour. Until the hour is over no more letters of this kind are sent, about whatever it is: ${where}`
