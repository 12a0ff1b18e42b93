import type { CaseView } from '@countersign/core'
import { ok } from '@countersign/core/ledger'
import { defined } from './defined.ts'
import { formatCaseTag } from './etag.ts'
import { streamPart } from './list-stream.ts'
import { atSeen, atSeenOrAny } from './preconditions.ts'
import type { HostResult } from './refusal.ts'
import { type Reply, type Route, route, smallBody } from './route.ts'
import * as schemas from './schemas.ts'
import { askedPart, firstPage } from './whole-list.ts'

const member = {
  host: 'portal',
  auth: 'member',
  query: schemas.noQuery,
} as const
const application = { host: 'ingest', auth: 'application', query: schemas.noQuery } as const

function replyCase(result: HostResult<CaseView>): HostResult<Reply> {
  if (!result.ok) return result
  return { ok: true, value: { body: result.value, headers: { ETag: formatCaseTag(result.value) } } }
}

/** Reviews, as the application (ingest host) and as reviewers (portal host) see them. */
export const caseRoutes: readonly Route[] = [
  route({
    ...application,
    right: 'openCases',
    method: 'POST',
    path: '/v1/review-cases',
    body: schemas.openCase,
    handle: async ({ service, actor, body }) =>
      replyCase(await service.reviewCases.open(actor, defined(body))),
  }),
  route({
    ...application,
    right: 'readCases',
    method: 'GET',
    path: '/v1/review-cases/:reviewCaseId',
    handle: async ({ service, actor, param }) =>
      replyCase(await service.reviewCases.read(actor, param('reviewCaseId'))),
  }),
  route({
    ...application,
    right: 'answerCases',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/follow-up-response',
    body: schemas.followUpResponse,
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
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/cancel',
    body: schemas.cancel,
    bodyLimit: smallBody,
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
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/continuation',
    body: schemas.continuation,
    handle: async ({ service, actor, param, body }) =>
      replyCase(
        await service.reviewCases.reportContinuation(actor, param('reviewCaseId'), defined(body)),
      ),
  }),
  route({
    ...member,
    right: 'readCases',
    method: 'GET',
    path: '/v1/review-cases',
    query: schemas.caseListQuery,
    handle: async ({ service, actor, ctx, query: { page, pageSize, after, limit, ...filter } }) => {
      const part = askedPart({ page, pageSize, after, limit }) ?? firstPage
      const listing = await service.reviewCases.list(actor, defined(filter), part)
      return listing.ok ? ok(streamPart(ctx, 'reviewCases', listing.value, part)) : listing
    },
  }),
  route({
    ...member,
    right: 'readCases',
    method: 'GET',
    path: '/v1/review-cases/:reviewCaseId',
    handle: async ({ service, actor, param }) =>
      replyCase(await service.reviewCases.read(actor, param('reviewCaseId'))),
  }),
  route({
    ...member,
    right: 'reviewCases',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/claim',
    body: schemas.claim,
    bodyLimit: smallBody,
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
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/reassign',
    body: schemas.reassign,
    bodyLimit: smallBody,
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
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/follow-up',
    body: schemas.followUp,
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
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/decide',
    body: schemas.decide,
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
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/cancel',
    body: schemas.cancel,
    bodyLimit: smallBody,
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
  route({
    ...member,
    right: 'replayCallbacks',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/callback/replay',
    body: schemas.noBody,
    bodyLimit: smallBody,
    handle: async ({ service, actor, param }) =>
      replyCase(await service.reviewCases.replayCallback(actor, param('reviewCaseId'))),
  }),
]
