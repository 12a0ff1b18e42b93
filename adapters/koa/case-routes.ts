import type { CaseView, Seen } from '@countersign/core'
import { ok, type Result, refuse } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { defined } from './defined.ts'
import { formatCaseTag, parseIfMatch } from './etag.ts'
import { streamPart } from './list-stream.ts'
import { type Reply, type Route, route, smallBody } from './route.ts'
import * as schemas from './schemas.ts'
import { askedPart, firstPage } from './whole-list.ts'

const member = {
  host: 'portal',
  auth: 'member',
  query: schemas.noQuery,
} as const
const application = { host: 'ingest', auth: 'application', query: schemas.noQuery } as const

function replyCase(result: Result<CaseView>): Result<Reply> {
  if (!result.ok) return result
  return { ok: true, value: { body: result.value, headers: { ETag: formatCaseTag(result.value) } } }
}

type VersionSource = {
  readonly body: { readonly caseVersion?: number | undefined }
  readonly ctx: Context
}

/** The version that the caller saw: If-Match where it is sent, else the body's. */
function seenOf(call: VersionSource): Seen | null {
  const ifMatch = parseIfMatch(call.ctx.get('if-match'))
  if (ifMatch) return { ifMatch }
  return call.body.caseVersion === undefined ? null : { caseVersion: call.body.caseVersion }
}

async function withSeen(
  call: VersionSource,
  use: (seen: Seen) => Promise<Result<CaseView>>,
): Promise<Result<Reply>> {
  const seen = seenOf(call)
  if (seen) return replyCase(await use(seen))
  const detail = 'expected caseVersion in the body or an If-Match header'
  return refuse('invalid_request', detail, {
    errors: [{ code: 'required', detail, pointer: '/caseVersion', parameter: null }],
  })
}

function optionalSeen(call: VersionSource): { seen?: Seen } {
  const seen = seenOf(call)
  return seen ? { seen } : {}
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
    handle: (call) =>
      withSeen(call, (seen) =>
        call.service.reviewCases.answerFollowUp(call.actor, call.param('reviewCaseId'), {
          seen,
          answer: call.body.answer,
        }),
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
        await call.service.reviewCases.cancel(call.actor, call.param('reviewCaseId'), {
          ...optionalSeen(call),
          reasonCategory: call.body.reasonCategory,
        }),
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
        await call.service.reviewCases.claim(
          call.actor,
          call.param('reviewCaseId'),
          optionalSeen(call),
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
    handle: (call) =>
      withSeen(call, (seen) =>
        call.service.reviewCases.reassign(call.actor, call.param('reviewCaseId'), {
          seen,
          reviewerId: call.body.reviewerId,
        }),
      ),
  }),
  route({
    ...member,
    right: 'reviewCases',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/follow-up',
    body: schemas.followUp,
    handle: (call) =>
      withSeen(call, (seen) =>
        call.service.reviewCases.requestFollowUp(call.actor, call.param('reviewCaseId'), {
          seen,
          question: call.body.question,
        }),
      ),
  }),
  route({
    ...member,
    right: 'reviewCases',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/decide',
    body: schemas.decide,
    handle: (call) =>
      withSeen(call, (seen) => {
        const { caseVersion: _, ...decision } = call.body
        return call.service.reviewCases.decide(
          call.actor,
          call.param('reviewCaseId'),
          defined({ seen, ...decision }),
        )
      }),
  }),
  route({
    ...member,
    right: 'cancelCases',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/cancel',
    body: schemas.cancel,
    bodyLimit: smallBody,
    handle: (call) =>
      withSeen(call, (seen) =>
        call.service.reviewCases.cancel(call.actor, call.param('reviewCaseId'), {
          seen,
          reasonCategory: call.body.reasonCategory,
        }),
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
