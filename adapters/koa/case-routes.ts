import {
  answerFollowUp,
  cancelCase,
  claimCase,
  decideCase,
  findCase,
  listCallbackAttempts,
  listCases,
  openCase,
  proveCase,
  readCase,
  readGuidelines,
  reassignCase,
  replayCallback,
  reportContinuation,
  requestFollowUp,
  setGuidelines,
  stateDecision,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { formatCaseTag, parseIfMatch } from './etag.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const cases = '/v1/review-cases'
const reviewCase = `${cases}/:reviewCaseId`
const callback = `${reviewCase}/callback`
const proof = `${reviewCase}/proof`
const guidelines = '/v1/applications/:applicationId/reviewer-guidelines'
const tag = formatCaseTag
const tagged = {
  tag,
  seen: { inBody: ['caseVersion'], inHeader: ['eventSequence'], read: parseIfMatch },
} as const
const small = { ...tagged, limit: smallBody }

/** Reviews, as the application (ingest host) and as reviewers (portal host) see them. */
export const caseRoutes: readonly Route[] = [
  http(openCase, 'POST', cases, { tag }),
  http(findCase, 'GET', cases, { tag }),
  http(readCase, 'GET', reviewCase, { tag, as: 'application' }),
  http(proveCase, 'GET', proof, { as: 'application' }),
  http(answerFollowUp, 'POST', `${reviewCase}/follow-up-response`, tagged),
  http(cancelCase, 'POST', `${reviewCase}/cancel`, { ...small, as: 'application' }),
  http(reportContinuation, 'POST', `${reviewCase}/continuation`, { tag }),
  http(listCases, 'GET', cases),
  http(readCase, 'GET', reviewCase, { tag, as: 'member' }),
  http(proveCase, 'GET', proof, { as: 'member' }),
  http(claimCase, 'POST', `${reviewCase}/claim`, small),
  http(reassignCase, 'POST', `${reviewCase}/reassign`, small),
  http(requestFollowUp, 'POST', `${reviewCase}/follow-up`, tagged),
  http(stateDecision, 'POST', `${reviewCase}/decision-statement`),
  http(decideCase, 'POST', `${reviewCase}/decide`, tagged),
  http(cancelCase, 'POST', `${reviewCase}/cancel`, { ...small, as: 'member' }),
  http(replayCallback, 'POST', `${callback}/replay`, {
    limit: smallBody,
    // The tag is of a case that its caller may read.
    tag: (replayed) => ('caseVersion' in replayed ? formatCaseTag(replayed) : null),
  }),
  http(listCallbackAttempts, 'GET', `${callback}/attempts`),
  http(readGuidelines, 'GET', guidelines),
  http(setGuidelines, 'PUT', guidelines),
]
