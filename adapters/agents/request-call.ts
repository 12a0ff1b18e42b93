import { digestOf } from '@countersign/core/canonical'
import type { KeyedRequest } from './calls.ts'
import type { ToolPolicy } from './options.ts'
import { presentationOf } from './present-call.ts'
import { writeResumeToken } from './resume-token.ts'
import { type AnyCall, checkpointOf, contentCheckpoint, copyOfCall } from './tool-call.ts'

/** How a call is asked for. */
export interface CallRequestOptions {
  readonly policy: ToolPolicy
  /** Of calls that show the same, which this one is; null for one that has an id. */
  readonly nth: number | null
  /** Worker that resume tokens name. */
  readonly via: string | undefined
  readonly namespace: string | undefined
}

/** The opening of a call's case: the same one each time that it is made, but for its deadline. */
export function requestOf(
  call: AnyCall,
  { policy, nth, via, namespace }: CallRequestOptions,
): KeyedRequest {
  const { reasonCategory = 'high_risk_action', reviewTier, expiresInMs } = policy
  const requestedBy = policy.requestedBy?.(copyOfCall(call)) ?? null
  const { sessionId } = call
  const expiresAt = expiresInMs && new Date(Date.now() + expiresInMs).toISOString()
  const presentation = presentationOf(call, policy.describe?.(copyOfCall(call)), call.edit)
  const checkpointId =
    nth === null
      ? checkpointOf(call, namespace)
      : contentCheckpoint(call, presentation, nth, namespace)
  return {
    sessionId,
    checkpointId,
    reasonCategory,
    presentation,
    idempotencyKey: `call-${digestOf([sessionId, checkpointId])}`,
    ...(reviewTier && { reviewTier }),
    ...(expiresAt && { expiresAt }),
    ...(requestedBy !== null && { requestedBy }),
    // Without ids, two calls that are the same have to ask the same.
    ...(via && nth === null && { resumeToken: writeResumeToken({ ...call, via }) }),
  }
}
