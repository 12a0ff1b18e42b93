import { createCallbackKind } from './callback/callback-kind.ts'
import { callbackSweep } from './callback/callback-sweep.ts'
import { createDeadlineHandler } from './deadlines.ts'
import { guidelineOperations, reviewerGuidelines } from './guidelines.ts'
import { reviewNotices } from './notices/records.ts'
import { createTelling, type NoticeHost } from './notices/tell-reviewers.ts'
import { reviewCaseOperations } from './operations.ts'
import { outcomeKeys, sealedOutcomeKeys } from './outcome-keys.ts'
import { portalChanges, portalOperations } from './queue/operations.ts'
import { caseOutcomes } from './queue/outcome-records.ts'
import { reviewCases } from './records.ts'
import { sealedOutcomes, sealedTokens } from './sealing.ts'

/** What this room contributes to the service. */
export const room = {
  tables: [reviewCases, outcomeKeys, caseOutcomes, reviewerGuidelines, reviewNotices],
  groups: {
    reviewCases: reviewCaseOperations,
    reviewerGuidelines: guidelineOperations,
    portal: portalOperations,
  },
  counted: portalChanges,
  sealed: [sealedTokens, sealedOutcomes, sealedOutcomeKeys],
  kinds: (host: Parameters<typeof createCallbackKind>[0]) => [createCallbackKind(host)],
  handlers: (host: Parameters<typeof createDeadlineHandler>[0] & NoticeHost) => [
    createDeadlineHandler(host),
    createTelling(host),
    callbackSweep,
  ],
}
