import * as z from 'zod'
import { callerSignal } from './caller-signal.ts'
import { member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/privacy-answers.ts'
import { download, fileBytes } from './download.ts'
import { partAs } from './list-stream.ts'
import { json, jsonBody, jsonType, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import * as schemas from './privacy-schemas.ts'
import { reply, replyAs, route } from './route.ts'
import { listQuery } from './schemas.ts'
import { partOf } from './whole-list.ts'

const pdf = 'application/pdf'
const requests = '/v1/gdpr/erasure-requests'
const holds = '/v1/gdpr/legal-holds'

/** Data subjects: what is held of them, their erasure, legal holds. */
export const privacyRoutes: readonly Route[] = [
  route({
    ...member,
    right: 'managePrivacy',
    name: 'subjects.lookup',
    summary: 'Look up what is held of a data subject',
    method: 'POST',
    path: '/v1/gdpr/subjects/lookup',
    body: jsonBody(schemas.lookupSubject, smallBody),
    answer: json(answers.subjectAnswer),
    refuses: [],
    handle: async ({ service, actor, body }) =>
      reply(await service.privacy.lookupSubject(actor, body)),
  }),
  route({
    ...member,
    right: 'managePrivacy',
    name: 'erasureRequests.create',
    summary: "Ask for the erasure of a data subject's data",
    method: 'POST',
    path: requests,
    body: jsonBody(schemas.requestErasure, smallBody),
    answer: json(answers.erasureAnswer),
    refuses: ['not_found'],
    handle: async ({ service, actor, body }) =>
      reply(await service.privacy.requestErasure(actor, defined(body))),
  }),
  route({
    ...member,
    right: 'readPrivacy',
    name: 'erasureRequests.list',
    summary: 'List erasure requests, newest first',
    method: 'GET',
    path: requests,
    query: listQuery,
    answer: json(answers.erasuresAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.privacy.listErasures(actor, partOf(query)), partAs('erasureRequests')),
  }),
  route({
    ...member,
    right: 'readPrivacy',
    name: 'erasureRequests.read',
    summary: 'Read an erasure request',
    method: 'GET',
    path: `${requests}/:erasureRequestId` as const,
    answer: json(answers.erasureAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.privacy.readErasure(actor, param('erasureRequestId'))),
  }),
  route({
    ...member,
    right: 'managePrivacy',
    name: 'erasureRequests.reject',
    summary: 'Reject an erasure request before its first key is destroyed',
    method: 'POST',
    path: `${requests}/:erasureRequestId/reject` as const,
    body: jsonBody(schemas.rejectErasure, smallBody),
    answer: json(answers.erasureAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.privacy.rejectErasure(actor, param('erasureRequestId'), body)),
  }),
  route({
    ...member,
    right: 'readPrivacy',
    name: 'erasureRequests.certificate',
    summary: 'Read the signed certificate of a completed erasure, as JSON or PDF by Accept',
    method: 'GET',
    path: `${requests}/:erasureRequestId/certificate` as const,
    answer: {
      types: [jsonType, pdf],
      schema: z.union([answers.erasureCertificateAnswer, fileBytes]),
      headers: ['Content-Disposition'],
    },
    refuses: [],
    handle: async ({ service, actor, ctx, param }) => {
      const id = param('erasureRequestId')
      if (ctx.accepts(jsonType, pdf) === jsonType)
        return reply(await service.privacy.erasureCertificate(actor, id))
      const printed = await service.evidence.erasureCertificatePdf(actor, id, callerSignal(ctx))
      return printed.ok ? { ok: true, value: download(ctx, printed.value, pdf) } : printed
    },
  }),
  route({
    ...member,
    right: 'managePrivacy',
    name: 'legalHolds.place',
    summary: 'Place a legal hold on a data subject',
    method: 'POST',
    path: holds,
    body: jsonBody(schemas.placeHold, smallBody),
    answer: json(answers.holdAnswer),
    refuses: ['not_found', 'invalid_transition'],
    handle: async ({ service, actor, body }) =>
      reply(await service.privacy.placeHold(actor, defined(body))),
  }),
  route({
    ...member,
    right: 'readPrivacy',
    name: 'legalHolds.list',
    summary: 'List legal holds, newest first',
    method: 'GET',
    path: holds,
    query: schemas.holdsQuery,
    answer: json(answers.holdsAnswer),
    refuses: [],
    handle: async ({ service, actor, query: { active, ...asked } }) =>
      replyAs(
        await service.privacy.listHolds(actor, defined({ active }), partOf(asked)),
        partAs('legalHolds'),
      ),
  }),
  route({
    ...member,
    right: 'managePrivacy',
    name: 'legalHolds.release',
    summary: 'Release a legal hold',
    method: 'POST',
    path: `${holds}/:holdId/release` as const,
    body: jsonBody(schemas.releaseHold, smallBody),
    answer: json(answers.holdAnswer),
    refuses: [],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.privacy.releaseHold(actor, param('holdId'), body)),
  }),
]
