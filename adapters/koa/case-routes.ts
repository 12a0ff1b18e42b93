import type { CaseView } from '@countersign/core'
import { ok } from '@countersign/core/ledger'
import { application, member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/answers.ts'
import { taggedCase } from './etag.ts'
import { streamPart } from './list-stream.ts'
import { json, jsonBody, type Reply, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { atSeen, atSeenOrAny } from './preconditions.ts'
import type { HostResult } from './refusal.ts'
import { route } from './route.ts'
import * as schemas from './schemas.ts'
import { askedPart, firstPage } from './whole-list.ts'

function replyCase(result: HostResult<CaseView>): HostResult<Reply<CaseView>> {
  return result.ok ? ok(taggedCase(result.value)) : result
}

/** Reviews, as the application (ingest host) and as reviewers (portal host) see them. */
export const caseRoutes: readonly Route[] = [
  route({
    ...application,
    right: 'openCases',
    name: 'reviewCases.open',
    summary: 'Open a review case, or get the one that is open at the checkpoint',
    method: 'POST',
    path: '/v1/review-cases',
    body: jsonBody(schemas.openCase),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: ['idempotency_conflict', 'requester_cannot_review', 'case_too_large', 'not_found'],
    handle: async ({ service, actor, body }) =>
      replyCase(await service.reviewCases.open(actor, defined(body))),
  }),
  route({
    ...application,
    right: 'readCases',
    name: 'reviewCases.read',
    summary: 'Read a case',
    method: 'GET',
    path: '/v1/review-cases/:reviewCaseId',
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      replyCase(await service.reviewCases.read(actor, param('reviewCaseId'))),
  }),
  route({
    ...application,
    right: 'answerCases',
    name: 'reviewCases.answerFollowUp',
    summary: "Answer the reviewer's question",
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/follow-up-response',
    body: jsonBody(schemas.followUpResponse),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: ['version_conflict', 'invalid_transition', 'case_expired', 'case_too_large'],
    handle: async (call) =>
      replyCase(
        await atSeen(call, (seen) =>
          call.service.reviewCases.answerFollowUp(call.actor, call.param('reviewCaseId'), {
            seen,
            answer: call.body.answer,
          }),
        ),
      ),
  }),
  route({
    ...application,
    right: 'cancelCases',
    name: 'reviewCases.cancel',
    summary: 'Cancel a case that needs no decision any more',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/cancel',
    body: jsonBody(schemas.cancel, smallBody),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: ['version_conflict', 'invalid_transition', 'case_expired'],
    handle: async (call) =>
      replyCase(
        await atSeenOrAny(call, (seen) =>
          call.service.reviewCases.cancel(call.actor, call.param('reviewCaseId'), {
            ...seen,
            reasonCategory: call.body.reasonCategory,
          }),
        ),
      ),
  }),
  route({
    ...application,
    right: 'answerCases',
    name: 'reviewCases.reportContinuation',
    summary: 'Report what the application did after the outcome',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/continuation',
    body: jsonBody(schemas.continuation),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: ['invalid_transition', 'case_expired', 'continuation_conflict'],
    handle: async ({ service, actor, param, body }) =>
      replyCase(
        await service.reviewCases.reportContinuation(actor, param('reviewCaseId'), defined(body)),
      ),
  }),
  route({
    ...member,
    right: 'readCases',
    name: 'reviewCases.list',
    summary: 'List cases, newest first',
    method: 'GET',
    path: '/v1/review-cases',
    query: schemas.caseListQuery,
    answer: json(answers.casesAnswer),
    refuses: [],
    handle: async ({ service, actor, ctx, query: { page, pageSize, after, limit, ...filter } }) => {
      const part = askedPart({ page, pageSize, after, limit }) ?? firstPage
      const listing = await service.reviewCases.list(actor, defined(filter), part)
      return listing.ok ? ok(streamPart(ctx, 'reviewCases', listing.value, part)) : listing
    },
  }),
  route({
    ...member,
    right: 'readCases',
    name: 'reviewCases.read',
    summary: 'Read a case',
    method: 'GET',
    path: '/v1/review-cases/:reviewCaseId',
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      replyCase(await service.reviewCases.read(actor, param('reviewCaseId'))),
  }),
  route({
    ...member,
    right: 'reviewCases',
    name: 'reviewCases.claim',
    summary: 'Take an unassigned case',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/claim',
    body: jsonBody(schemas.claim, smallBody),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: [
      'application_gone',
      'version_conflict',
      'invalid_transition',
      'case_expired',
      'already_assigned',
      'requester_cannot_review',
    ],
    handle: async (call) =>
      replyCase(
        await atSeenOrAny(call, (seen) =>
          call.service.reviewCases.claim(call.actor, call.param('reviewCaseId'), seen),
        ),
      ),
  }),
  route({
    ...member,
    right: 'reviewCases',
    name: 'reviewCases.reassign',
    summary: 'Hand a case to another reviewer',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/reassign',
    body: jsonBody(schemas.reassign, smallBody),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: [
      'application_gone',
      'version_conflict',
      'invalid_transition',
      'case_expired',
      'already_assigned',
      'requester_cannot_review',
      'reviewer_not_eligible',
    ],
    handle: async (call) =>
      replyCase(
        await atSeen(call, (seen) =>
          call.service.reviewCases.reassign(call.actor, call.param('reviewCaseId'), {
            seen,
            reviewerId: call.body.reviewerId,
          }),
        ),
      ),
  }),
  route({
    ...member,
    right: 'reviewCases',
    name: 'reviewCases.requestFollowUp',
    summary: 'Ask the application a question',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/follow-up',
    body: jsonBody(schemas.followUp),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: [
      'application_gone',
      'version_conflict',
      'invalid_transition',
      'case_expired',
      'follow_up_pending',
      'follow_up_limit',
      'case_too_large',
    ],
    handle: async (call) =>
      replyCase(
        await atSeen(call, (seen) =>
          call.service.reviewCases.requestFollowUp(call.actor, call.param('reviewCaseId'), {
            seen,
            question: call.body.question,
          }),
        ),
      ),
  }),
  route({
    ...member,
    right: 'reviewCases',
    name: 'reviewCases.decide',
    summary: 'Decide a case',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/decide',
    body: jsonBody(schemas.decide),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: [
      'application_gone',
      'version_conflict',
      'invalid_transition',
      'case_expired',
      'requester_cannot_review',
      'presentation_changed',
      'case_too_large',
    ],
    handle: async (call) =>
      replyCase(
        await atSeen(call, (seen) => {
          const { caseVersion: _, ...decision } = call.body
          return call.service.reviewCases.decide(
            call.actor,
            call.param('reviewCaseId'),
            defined({ seen, ...decision }),
          )
        }),
      ),
  }),
  route({
    ...member,
    right: 'cancelCases',
    name: 'reviewCases.cancel',
    summary: 'Cancel a case that needs no decision any more',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/cancel',
    body: jsonBody(schemas.cancel, smallBody),
    answer: json(answers.caseAnswer, 'ETag'),
    refuses: ['application_gone', 'version_conflict', 'invalid_transition', 'case_expired'],
    handle: async (call) =>
      replyCase(
        await atSeen(call, (seen) =>
          call.service.reviewCases.cancel(call.actor, call.param('reviewCaseId'), {
            seen,
            reasonCategory: call.body.reasonCategory,
          }),
        ),
      ),
  }),
]
