import { ok } from '@countersign/core/ledger'
import { member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/session-answers.ts'
import { partAs, streamPart, streamScanned } from './list-stream.ts'
import { json } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { listQuery } from './schemas.ts'
import * as schemas from './session-schemas.ts'
import { partOf } from './whole-list.ts'

/** What members read of sessions. */
export const sessionRoutes: readonly Route[] = [
  route({
    ...member,
    right: 'readSessions',
    name: 'sessions.list',
    summary: 'List sessions, the latest first',
    method: 'GET',
    path: '/v1/sessions',
    query: schemas.sessionsQuery,
    answer: json(answers.sessionsAnswer),
    refuses: [],
    handle: async ({ service, actor, ctx, query: { page, pageSize, after, limit, ...filter } }) => {
      const part = partOf({ page, pageSize, after, limit })
      const listing = await service.ingest.listSessions(actor, defined(filter), part)
      return listing.ok ? ok(streamScanned(ctx, 'sessions', listing.value, part)) : listing
    },
  }),
  route({
    ...member,
    right: 'readSessions',
    name: 'sessions.read',
    summary: 'Read a session',
    method: 'GET',
    path: '/v1/sessions/:sessionId',
    query: schemas.ofApplication,
    answer: json(answers.sessionAnswer),
    refuses: ['ambiguous_session'],
    handle: async ({ service, actor, param, query }) =>
      reply(await service.ingest.readSession(actor, param('sessionId'), defined(query))),
  }),
  route({
    ...member,
    right: 'readSessions',
    name: 'sessions.listSteps',
    summary: "List a session's steps in order, without content",
    method: 'GET',
    path: '/v1/sessions/:sessionId/steps',
    query: schemas.stepsQuery,
    answer: json(answers.stepsAnswer),
    refuses: ['ambiguous_session'],
    handle: async ({ service, actor, ctx, param, query: { applicationId, ...asked } }) => {
      const part = partOf(asked)
      const of = defined({ applicationId })
      const listing = await service.ingest.listSteps(actor, param('sessionId'), part, of)
      return listing.ok ? ok(streamPart(ctx, 'steps', listing.value, part)) : listing
    },
  }),
  route({
    ...member,
    right: 'readSessions',
    name: 'sessions.readStep',
    summary: 'Read a step with its content',
    method: 'GET',
    path: '/v1/sessions/:sessionId/steps/:stepId',
    query: schemas.ofApplication,
    answer: json(answers.stepAnswer),
    refuses: ['ambiguous_session'],
    handle: async ({ service, actor, param, query }) =>
      reply(
        await service.ingest.readStep(actor, param('sessionId'), param('stepId'), defined(query)),
      ),
  }),
  route({
    ...member,
    right: 'readSessions',
    name: 'sessions.proof',
    summary: 'Prove that a session is sealed under a Merkle root',
    method: 'GET',
    path: '/v1/sessions/:sessionId/proof',
    query: schemas.ofApplication,
    answer: json(answers.proofAnswer),
    refuses: ['ambiguous_session', 'not_sealed'],
    handle: async ({ service, actor, param, query }) =>
      reply(await service.ingest.readProof(actor, param('sessionId'), defined(query))),
  }),
  route({
    ...member,
    right: 'readSessions',
    name: 'anchors.list',
    summary: 'List the entries of the anchor ledger, the latest first',
    method: 'GET',
    path: '/v1/anchors',
    query: listQuery,
    answer: json(answers.anchorsAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.ingest.listAnchors(actor, partOf(query)), partAs('anchors')),
  }),
]
