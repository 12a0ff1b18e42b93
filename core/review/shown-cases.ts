import { applicationOf } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import type { Found, Read } from '../base/ports/store.ts'
import { one } from '../kernel/ledger/reads.ts'
import { shownCase } from './deadlines.ts'
import { withoutContent } from './erase-case.ts'
import { shownErased } from './execution/end-erased.ts'
import type { ReviewCase } from './records.ts'

/** Cases as they are at this time; how those end that are past their end, or being erased, depends on their applications. */
export async function shownCases(
  cases: readonly ReviewCase[],
  erased: ReadonlySet<ReviewCase>,
  at: number,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<readonly ReviewCase[]> {
  const ends = (review: ReviewCase) =>
    review.state === 'open' && (review.expiresAt <= at || erased.has(review))
  const ending = cases.filter(ends)
  const found =
    ending.length === 0
      ? []
      : await read(ending.map((each) => applicationOf(each.tenantId, each.applicationId)))
  return cases.map((review) => {
    const index = ending.indexOf(review)
    if (index < 0) return erased.has(review) ? withoutContent(review) : review
    const scene = { at, application: one(applications, found[index]) }
    return erased.has(review) ? shownErased(review, scene) : shownCase(review, scene)
  })
}
