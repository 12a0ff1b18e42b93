import { hiddenOf, hiddenReads } from '../../applications/hidden.ts'
import { applications } from '../../applications/records.ts'
import type { Found, Read, Where } from '../../base/ports/store.ts'
import { erasingIn, erasureMarks, marksOf } from '../../content/erasure-marks.ts'
import { placeOf } from '../../content/records.ts'
import type { KeptAnswers, Seen, Timed } from '../../kernel/kept-answers.ts'
import { type Counted, countedRows } from '../../kernel/ledger/change-counts.ts'
import { list, many, one } from '../../kernel/ledger/reads.ts'
import { members } from '../../organizations/access/records.ts'
import { reviewCases } from '../records.ts'

/** What the queue tells: cases, the names in them, and what hides them. */
export const queueChanges: Counted = {
  name: 'queue',
  rows: [
    countedRows(reviewCases),
    countedRows(applications),
    countedRows(members),
    countedRows(erasureMarks),
  ],
}

/** The read of whether any open case is past its end: few are, and not for long. */
export function lapsedAt(tenantId: string, now: number): Read {
  return list(reviewCases, {
    by: 'byExpiry',
    where: [
      ['tenantId', '=', tenantId],
      ['state', '=', 'open'],
      ['expiresAt', '<=', now],
    ],
    take: 1,
  })
}

/** Whether `lapsedAt` found one. */
export function anyLapsed(found: Found | undefined): boolean {
  return many(reviewCases, found).length > 0
}

/** The end of the places of cases that are due at a time or before. */
export function dueBy(at: number): string {
  return placeOf(at + 1)
}

/** What the open cases of an organization are told by. */
export interface OpenNow {
  /** Ms; it holds from then to `until`. */
  readonly now: number
  /** Some are past their end. */
  readonly lapsed: boolean
  /** Applications that are being deleted. */
  readonly hidden: readonly string[]
  /** When the next one is due or ends; 0 while an erasure is at work, which hides cases by what sessions hold. */
  readonly until: number
}

/** What open cases are told by at a time, read once for all who ask. */
export function openNow(
  kept: KeptAnswers,
  { tenantId, ...seen }: Seen & { readonly tenantId: string },
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<OpenNow> {
  const { now } = seen
  const open = [
    ['tenantId', '=', tenantId],
    ['state', '=', 'open'],
  ] as const
  return kept.of(['open now', tenantId], seen, async (): Promise<Timed<OpenNow>> => {
    const [lapsed, ends, due, marked, ...deleted] = await read([
      lapsedAt(tenantId, now),
      list(reviewCases, { by: 'byExpiry', where: [...open, ['expiresAt', '>', now]], take: 1 }),
      list(reviewCases, { by: 'queue', where: [...open, ['duePlace', '>=', dueBy(now)]], take: 1 }),
      marksOf(tenantId),
      ...hiddenReads(tenantId),
    ])
    const next = Math.min(
      one(reviewCases, ends)?.row.expiresAt ?? Number.POSITIVE_INFINITY,
      one(reviewCases, due)?.row.dueAt ?? Number.POSITIVE_INFINITY,
    )
    const until = erasingIn(marked).any ? 0 : next
    return { answer: { now, lapsed: anyLapsed(lapsed), hidden: hiddenOf(deleted), until }, until }
  })
}

/** Open cases that are not past their end. */
export function openOf(tenantId: string, { now, lapsed }: Pick<OpenNow, 'now' | 'lapsed'>): Where {
  return [
    ['tenantId', '=', tenantId],
    ['state', '=', 'open'],
    ...(lapsed ? [['expiresAt', '>', now] as const] : []),
  ]
}
