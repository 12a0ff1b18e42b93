import { withoutContent } from '../erase-case.ts'
import { decide } from '../machine/machine.ts'
import type { ReviewCase } from '../records.ts'
import { contextOf, type Scene } from './scene.ts'

/**
 * A case of somebody whose erasure has begun, as it is shown: without what callers wrote and, where it is open, cancelled.
 * The erasure alone records that, for it takes the texts in the same commit and waits for the outcome.
 */
export function shownErased(
  review: ReviewCase,
  scene: Pick<Scene, 'at' | 'application'>,
): ReviewCase {
  if (review.state !== 'open') return withoutContent(review)
  const command = { type: 'cancel', reason: 'checkpoint_unavailable' } as const
  const decided = decide(review, command, contextOf({ kind: 'system' }, scene))
  const moved = decided.kind === 'refused' ? decided.moved : decided
  return withoutContent(moved?.kind === 'moved' ? moved.case : review)
}
