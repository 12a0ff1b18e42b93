import type { Found, Read, Where } from '../../base/ports/store.ts'
import { placeOf } from '../../content/records.ts'
import { list, many } from '../../kernel/ledger/reads.ts'
import { reviewCases } from '../records.ts'

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

/** Open cases that are not past their end. `lapsed`: some are, so that each is looked at. */
export function openOf(
  tenantId: string,
  { now, lapsed }: { readonly now: number; readonly lapsed: boolean },
): Where {
  return [
    ['tenantId', '=', tenantId],
    ['state', '=', 'open'],
    ...(lapsed ? [['expiresAt', '>', now] as const] : []),
  ]
}
