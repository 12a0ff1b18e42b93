import { get, one } from '../ledger/reads.ts'
import { deliveries, messages } from '../outbox/records.ts'
import type { ChangeSet, Found, Read } from '../ports/store.ts'
import { callbackIdOf, earlierCallbackIdOf } from './callback/callback-id.ts'
import { outcomeKeyOf, outcomeKeys } from './outcome-keys.ts'
import type { ReviewCase } from './records.ts'

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

/** The case without all that callers wrote; digests, times and history stay. */
export function withoutContent(review: ReviewCase): ReviewCase {
  return {
    ...review,
    ...(review.state === 'open' ? {} : { callbackId: callbackIdOf(review) }),
    presentation: null,
    reviewerComment: null,
    response: null,
    resumeToken: null,
    followUps: [],
    policyResults: [],
    continuation: review.continuation && { ...review.continuation, detail: null },
  }
}

/** The ids that the outcome callback of a closed case may have; told by its content. */
export function callbackIds(review: ReviewCase): readonly string[] {
  return [callbackIdOf(review), earlierCallbackIdOf(review.reviewCaseId)]
}

/** A callback of an application's case. */
export interface CallbackPlace {
  readonly applicationId: string
  readonly callbackIds: readonly string[]
}

/** The reads whose answers `callbackRemovals` takes. */
export function callbackReads({ applicationId, callbackIds: ids }: CallbackPlace): readonly Read[] {
  return ids.flatMap((id) => [
    get(deliveries, [applicationId, id]),
    get(messages, [id]),
    outcomeKeyOf(id),
  ])
}

/** What removes an outcome callback, which holds response and resume token, and its own key. */
export function callbackRemovals(
  { applicationId, callbackIds: ids }: CallbackPlace,
  found: readonly Found[],
): NonNullable<ChangeSet['removes']> {
  return ids.flatMap((id, at) => {
    const delivery = one(deliveries, found[3 * at])
    const message = one(messages, found[3 * at + 1])
    const key = one(outcomeKeys, found[3 * at + 2])
    return [
      ...(delivery
        ? [{ in: deliveries.name, key: [applicationId, id] as const, version: delivery.version }]
        : []),
      ...(message ? [{ in: messages.name, key: [id] as const, version: message.version }] : []),
      ...(key ? [{ in: outcomeKeys.name, key: [id] as const, version: key.version }] : []),
    ]
  })
}
