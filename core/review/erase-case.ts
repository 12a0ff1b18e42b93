import type { ChangeSet, Found, Read } from '../base/ports/store.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { deliveries, messages } from '../outbox/records.ts'
import { callbackIdOf } from './callback/callback-id.ts'
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
    nonces: { comment: null, response: null },
    resumeToken: null,
    followUps: [],
    policyResults: [],
    continuation: review.continuation && { ...review.continuation, detail: null },
  }
}

/** A callback of an application's case. */
export interface CallbackPlace {
  readonly applicationId: string
  readonly callbackId: string
}

/** The reads whose answers `callbackRemovals` takes. */
export function callbackReads({ applicationId, callbackId: id }: CallbackPlace): readonly Read[] {
  return [get(deliveries, [applicationId, id]), get(messages, [id]), outcomeKeyOf(id)]
}

/** What removes an outcome callback, which holds response and resume token, and its own key. */
export function callbackRemovals(
  { applicationId, callbackId: id }: CallbackPlace,
  [foundDelivery, foundMessage, foundKey]: readonly Found[],
): NonNullable<ChangeSet['removes']> {
  const delivery = one(deliveries, foundDelivery)
  const message = one(messages, foundMessage)
  const key = one(outcomeKeys, foundKey)
  return [
    ...(delivery
      ? [{ in: deliveries.name, key: [applicationId, id] as const, version: delivery.version }]
      : []),
    ...(message ? [{ in: messages.name, key: [id] as const, version: message.version }] : []),
    ...(key ? [{ in: outcomeKeys.name, key: [id] as const, version: key.version }] : []),
  ]
}
