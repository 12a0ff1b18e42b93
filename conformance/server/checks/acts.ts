import type { HttpAnswer } from '../http.ts'
import { type CaseRecord, granted, type World } from '../world.ts'

export type Who = 'admin' | 'reviewer'

/** What can be done to a case, each as one request. */
export const acts = {
  claim: (world: World, { reviewCaseId }: CaseRecord, who: Who): Promise<HttpAnswer> =>
    world[who].post(path(reviewCaseId, 'claim')),
  reassign: (world: World, seen: CaseRecord, who: Who, to: Who): Promise<HttpAnswer> =>
    world[who].post(path(seen.reviewCaseId, 'reassign'), {
      caseVersion: seen.caseVersion,
      reviewerId: to === 'admin' ? world.adminId : world.reviewerId,
    }),
  followUp: (world: World, seen: CaseRecord, who: Who): Promise<HttpAnswer> =>
    world[who].post(path(seen.reviewCaseId, 'follow-up'), {
      caseVersion: seen.caseVersion,
      question: 'Who ordered this?',
    }),
  answer: (world: World, seen: CaseRecord): Promise<HttpAnswer> =>
    world.application.post(path(seen.reviewCaseId, 'follow-up-response'), {
      caseVersion: seen.caseVersion,
      answer: 'Purchase order 4711.',
    }),
  decide: (world: World, seen: CaseRecord, who: Who, decision: string): Promise<HttpAnswer> =>
    world[who].post(path(seen.reviewCaseId, 'decide'), {
      caseVersion: seen.caseVersion,
      presentationDigest: seen.presentationDigest ?? '0'.repeat(64),
      decision,
      ...(decision === 'response_submitted' ? { response: { text: 'as agreed' } } : {}),
    }),
  cancel: (world: World, { reviewCaseId }: CaseRecord): Promise<HttpAnswer> =>
    world.application.post(path(reviewCaseId, 'cancel'), { reasonCategory: 'end_user_cancelled' }),
  cancelByAdmin: (world: World, seen: CaseRecord): Promise<HttpAnswer> =>
    world.admin.post(path(seen.reviewCaseId, 'cancel'), {
      caseVersion: seen.caseVersion,
      reasonCategory: 'checkpoint_superseded',
    }),
  report: (world: World, { reviewCaseId }: CaseRecord, outcome: string): Promise<HttpAnswer> =>
    world.application.post(path(reviewCaseId, 'continuation'), { outcome }),
} as const

export const path = (reviewCaseId: string, act: string): string =>
  `/v1/review-cases/${reviewCaseId}/${act}`

export async function done(answer: Promise<HttpAnswer>): Promise<CaseRecord> {
  return granted(await answer) as CaseRecord
}
