import { member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/signal-answers.ts'
import { partAs } from './list-stream.ts'
import { json, jsonBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { ofApplication } from './session-schemas.ts'
import * as schemas from './signal-schemas.ts'
import { partOf } from './whole-list.ts'

const session = '/v1/sessions/:sessionId'
const viewer = {
  ...member,
  right: 'readSessions',
  method: 'GET',
  query: schemas.sessionPartQuery,
  refuses: ['ambiguous_session'],
} as const
const marker = {
  ...member,
  right: 'markSessions',
  query: ofApplication,
  refuses: ['ambiguous_session', 'application_gone'],
} as const

/** Flags, annotations and reviews of sessions (interface, Portal host). */
export const markRoutes: readonly Route[] = [
  route({
    ...viewer,
    name: 'flags.list',
    summary: 'List the flags of a session',
    path: `${session}/flags`,
    answer: json(answers.flagsAnswer),
    handle: async ({ service, actor, param, query: { applicationId, ...asked } }) =>
      replyAs(
        await service.signals.listFlags(
          actor,
          param('sessionId'),
          partOf(asked),
          defined({ applicationId }),
        ),
        partAs('flags'),
      ),
  }),
  route({
    ...marker,
    name: 'flags.raise',
    summary: 'Flag a session; an open flag of its kind is returned',
    method: 'POST',
    path: `${session}/flags`,
    body: jsonBody(schemas.raiseFlag),
    answer: json(answers.flagAnswer),
    handle: async ({ service, actor, param, body, query }) =>
      reply(
        await service.signals.raiseFlag(actor, param('sessionId'), defined(body), defined(query)),
      ),
  }),
  route({
    ...marker,
    name: 'flags.clear',
    summary: 'Clear a flag',
    method: 'DELETE',
    path: `${session}/flags/:flagId`,
    answer: json(answers.flagAnswer),
    handle: async ({ service, actor, param, query }) =>
      reply(
        await service.signals.clearFlag(actor, param('sessionId'), param('flagId'), defined(query)),
      ),
  }),
  route({
    ...viewer,
    name: 'annotations.list',
    summary: 'List the annotations of a session',
    path: `${session}/annotations`,
    answer: json(answers.annotationsAnswer),
    handle: async ({ service, actor, param, query: { applicationId, ...asked } }) =>
      replyAs(
        await service.signals.listAnnotations(
          actor,
          param('sessionId'),
          partOf(asked),
          defined({ applicationId }),
        ),
        partAs('annotations'),
      ),
  }),
  route({
    ...marker,
    name: 'annotations.create',
    summary: 'Annotate a session or one of its steps',
    method: 'POST',
    path: `${session}/annotations`,
    body: jsonBody(schemas.annotate),
    answer: json(answers.annotationAnswer),
    handle: async ({ service, actor, param, body, query }) =>
      reply(
        await service.signals.annotate(actor, param('sessionId'), defined(body), defined(query)),
      ),
  }),
  route({
    ...marker,
    name: 'annotations.remove',
    summary: 'Remove an annotation, by its author or an admin',
    method: 'DELETE',
    path: `${session}/annotations/:annotationId`,
    answer: json(answers.annotationAnswer),
    handle: async ({ service, actor, param, query }) =>
      reply(
        await service.signals.removeAnnotation(
          actor,
          param('sessionId'),
          param('annotationId'),
          defined(query),
        ),
      ),
  }),
  route({
    ...viewer,
    name: 'sessionReviews.list',
    summary: 'List the reviews of a session',
    path: `${session}/reviews`,
    answer: json(answers.sessionReviewsAnswer),
    handle: async ({ service, actor, param, query: { applicationId, ...asked } }) =>
      replyAs(
        await service.signals.listSessionReviews(
          actor,
          param('sessionId'),
          partOf(asked),
          defined({ applicationId }),
        ),
        partAs('sessionReviews'),
      ),
  }),
  route({
    ...marker,
    name: 'sessionReviews.create',
    summary: 'Review a completed session; decides no case',
    method: 'POST',
    path: `${session}/reviews`,
    body: jsonBody(schemas.reviewSession),
    answer: json(answers.sessionReviewAnswer),
    refuses: [...marker.refuses, 'invalid_transition'],
    handle: async ({ service, actor, param, body, query }) =>
      reply(
        await service.signals.reviewSession(
          actor,
          param('sessionId'),
          defined(body),
          defined(query),
        ),
      ),
  }),
]
