import type { ReasonCategory } from '../../base/events/review.ts'
import type { ReviewCase } from '../records.ts'
import type { Moved } from './command.ts'
import { type StepName, steps } from './steps.ts'

/** One step of a transition: what it changes, and the reason that its event gives. */
export interface Move {
  readonly step: StepName
  readonly reason: ReasonCategory
  readonly change: Partial<ReviewCase>
}

/** The case with these steps recorded, each with the next event sequence, in this order. */
export function recordSteps(
  review: ReviewCase,
  moves: readonly Move[],
  at: number,
  actor: string,
): Moved {
  let after = review
  const recorded: Moved['recorded'][number][] = []
  for (const { step, reason, change } of moves) {
    const eventSequence = after.eventSequence + 1
    const caseVersion = after.caseVersion + (steps[step].raises ? 1 : 0)
    after = {
      ...after,
      ...change,
      caseVersion,
      eventSequence,
      updatedAt: at,
      history: [...after.history, { eventSequence, caseVersion, step, at, actor }],
    }
    recorded.push({
      step,
      at,
      caseVersion,
      eventSequence,
      decision: after.decision,
      reasonCategory: reason,
      presentationDigest: after.presentationDigest,
    })
  }
  return { kind: 'moved', case: after, recorded }
}
