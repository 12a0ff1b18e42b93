import type { Moved } from '../machine/command.ts'
import { decide } from '../machine/machine.ts'
import type { ReviewCase } from '../records.ts'
import { contextOf, type Scene } from './scene.ts'

/**
 * The cancellation of an open case of somebody whose erasure has begun, for whoever meets it before the erasure comes to
 * it; null for a case that is closed.
 */
export function endedByErasure(
  review: ReviewCase,
  scene: Pick<Scene, 'at' | 'application'>,
): Moved | null {
  if (review.state !== 'open') return null
  const command = { type: 'cancel', reason: 'checkpoint_unavailable' } as const
  const decided = decide(review, command, contextOf({ kind: 'system' }, scene))
  const moved = decided.kind === 'refused' ? decided.moved : decided
  return moved?.kind === 'moved' ? moved : null
}
