import type { SignalDeps } from './deps.ts'
import { defaultScorer } from './scores/default-scorer.ts'
import { readScores } from './scores/read-scores.ts'
import { annotate, listAnnotations, removeAnnotation } from './sessions/annotations.ts'
import { clearFlag, listFlags, raiseMemberFlag } from './sessions/flags.ts'
import { listSessionReviews, reviewSession } from './sessions/reviews.ts'
import type { SignalUseCases } from './use-cases.ts'

export function createSignals(deps: SignalDeps): SignalUseCases {
  return {
    listFlags: listFlags(deps),
    raiseFlag: raiseMemberFlag(deps),
    clearFlag: clearFlag(deps),
    listAnnotations: listAnnotations(deps),
    annotate: annotate(deps),
    removeAnnotation: removeAnnotation(deps),
    listSessionReviews: listSessionReviews(deps),
    reviewSession: reviewSession(deps),
    readScores: readScores(deps, deps.scorer ?? defaultScorer),
  }
}
