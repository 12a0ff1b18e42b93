import { createManualClock } from '@countersign/core/testing'
import { memoryInbox } from '@countersign/receiver-kit'
import {
  createSignedOutcomeHandler,
  type PinnedReviewers,
  type ReviewedProblem,
  type ReviewedTurn,
} from '@countersign/receiver-kit/reviewers'
import { createTestSigner } from '@countersign/receiver-kit/testing'
import { asked, createReviewer, origin, rpId, type Sent } from './signed-outcomes.ts'
import { drain, send, start } from './support.ts'

/** A reviewer whose key is pinned. */
export const ada = createReviewer()
/** One whose key is not. */
export const eve = createReviewer('ES256')

export const hourMs = 3_600_000
/** Of the clock of `received`. */
export const at = (ms: number) => new Date(start + ms).toISOString()

export const pinned: PinnedReviewers = {
  rpId,
  origins: [origin],
  keys: [ada.key],
  expected: async () => asked,
}

/** What a handler made of one message. */
export async function received(message: Sent, reviewers: Partial<PinnedReviewers> = {}) {
  const clock = createManualClock(start)
  const signer = createTestSigner({ now: clock.now })
  const turns: ReviewedTurn[] = []
  const problems: ReviewedProblem[] = []
  const handler = createSignedOutcomeHandler({
    keys: [signer.key],
    applicationId: () => true,
    inbox: memoryInbox(),
    clock,
    reviewers: { ...pinned, ...reviewers },
    onOutcome: (turn) => void turns.push(turn),
    onProblem: (problem) => void problems.push(problem),
  })
  const { status } = await send(handler, signer.sign(message))
  const drained = await drain(handler, clock)
  const [turn] = turns
  const [problem] = problems
  return { status, drained, turn, problem }
}

export function withMember(sent: Sent, change: object): Sent {
  return { ...sent, decisionSignature: { ...(sent.decisionSignature as object), ...change } }
}
