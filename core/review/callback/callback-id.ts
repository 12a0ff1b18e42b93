import { sha256 } from '@noble/hashes/sha2.js'
import { newId } from '../../kernel/ledger/ids.ts'
import type { StepName } from '../machine/steps.ts'
import type { ReviewCase } from '../records.ts'

const closingSteps: readonly StepName[] = ['decided', 'cancelled', 'expired']
const utf8 = new TextEncoder()

/**
 * The id of a closed case's outcome callback, derived from the step that closed it. A service that is restored from an
 * older backup and decides again derives another id, so that no `webhook-id` is ever sent with two bodies.
 */
export function callbackIdOf(review: ReviewCase): string {
  if (review.callbackId !== undefined) return review.callbackId
  const { reviewCaseId, decision, presentationDigest, response, history } = review
  const closed = history.find(({ step }) => closingSteps.includes(step))
  if (!closed) throw new Error(`expected a closed case, got ${review.state} ${reviewCaseId}`)
  const { caseVersion, eventSequence, at, actor } = closed
  const told = [reviewCaseId, caseVersion, eventSequence, at, actor]
  const hash = sha256(
    utf8.encode(JSON.stringify([...told, decision, presentationDigest, response])),
  )
  return newId('cb', at, { bytes: (count) => hash.subarray(0, count) })
}
