import type { ReviewTier } from '../../base/events/review.ts'

const minute = 60_000
const hour = 60 * minute

/** How long each tier has, in ms, where the opener does not say. */
export const tierTimes: Readonly<
  Record<ReviewTier, { readonly due: number; readonly expires: number }>
> = {
  standard: { due: 24 * hour, expires: 7 * 24 * hour },
  high: { due: 4 * hour, expires: 24 * hour },
  urgent: { due: 30 * minute, expires: 4 * hour },
}

/** Both deadlines of a case, ms; a given one adjusts the other's default so that due never follows expiry. */
export function deadlinesOf(
  tier: ReviewTier,
  openedAt: number,
  given: { readonly dueAt: number | null; readonly expiresAt: number | null },
): { readonly dueAt: number; readonly expiresAt: number } {
  const { due, expires } = tierTimes[tier]
  const expiresAt = given.expiresAt ?? Math.max(openedAt + expires, given.dueAt ?? 0)
  const dueAt = given.dueAt ?? Math.min(openedAt + due, expiresAt)
  return { dueAt, expiresAt }
}
