import { get, one, put } from '../ledger/reads.ts'
import { deliveries, messages } from '../outbox/records.ts'
import type { ChangeSet, Found, Read, Versioned } from '../ports/store.ts'
import { callbackIdOf, earlierCallbackIdOf } from './callback/callback-id.ts'
import { type ReviewCase, reviewCases } from './records.ts'

/** Whether a closed case, or its outcome callback, may still hold what callers wrote. */
export function holdsContent(review: ReviewCase): boolean {
  const { presentation, reviewerComment, response, followUps, resumeToken } = review
  return (
    presentation !== null ||
    reviewerComment !== null ||
    response !== null ||
    resumeToken !== null ||
    followUps.length > 0 ||
    review.policyResults.length > 0 ||
    (review.continuation?.detail !== undefined && review.continuation.detail !== null)
  )
}

/** The reads whose answers `erasedCase` takes: the outcome callback of the closed case. */
export function callbackReads(review: ReviewCase): readonly Read[] {
  const { applicationId } = review
  return callbackIds(review).flatMap((id) => [
    get(deliveries, [applicationId, id]),
    get(messages, [id]),
  ])
}

function callbackIds(review: ReviewCase): readonly string[] {
  return [callbackIdOf(review), earlierCallbackIdOf(review.reviewCaseId)]
}

/**
 * What removes all that callers wrote from a closed case whose callback is not under way: its texts and documents, and
 * the callback, which holds response and resume token. Digests, times and history stay.
 */
export function erasedCase(
  was: Versioned<ReviewCase>,
  found: readonly Found[],
): Required<Pick<ChangeSet, 'puts' | 'removes'>> {
  const review: ReviewCase = {
    ...was.row,
    presentation: null,
    reviewerComment: null,
    response: null,
    resumeToken: null,
    followUps: [],
    policyResults: [],
    continuation: was.row.continuation && { ...was.row.continuation, detail: null },
  }
  const removes = callbackIds(was.row).flatMap((id, at) => {
    const delivery = one(deliveries, found[2 * at])
    const message = one(messages, found[2 * at + 1])
    return [
      ...(delivery
        ? [
            {
              in: deliveries.name,
              key: [was.row.applicationId, id] as const,
              version: delivery.version,
            },
          ]
        : []),
      ...(message ? [{ in: messages.name, key: [id] as const, version: message.version }] : []),
    ]
  })
  return { puts: [put(reviewCases, review, was)], removes }
}
