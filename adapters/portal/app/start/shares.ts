import type { ReviewStatisticsAnswer } from '@countersign/client'

type Counts = ReviewStatisticsAnswer['all']

/** How many cases ended, in whatever way. */
export function closedOf(counts: Counts): number {
  const { approved, rejected, responseSubmitted, cancelled, expired } = counts
  return approved + rejected + responseSubmitted + cancelled + expired
}

/** Which share of the decisions are approvals, in percent; a dash where nothing was decided. */
export function shareOf({ approved, rejected, responseSubmitted }: Counts): string {
  const decided = approved + rejected + responseSubmitted
  return decided === 0 ? '–' : `${Math.round((approved / decided) * 100)} %`
}

/** Which share of the decisions whose time in view is known took less than 5 s of it, in percent; a dash without any. */
export function briefShareOf({ viewed, viewedBriefly }: Counts): string {
  return viewed === 0 ? '–' : `${Math.round((viewedBriefly / viewed) * 100)} %`
}
