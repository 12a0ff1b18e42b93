import { ok } from '@countersign/core/ledger'
import { member } from './callers.ts'
import * as answers from './description/answers.ts'
import { taggedCase } from './etag.ts'
import { streamPart } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { route } from './route.ts'
import * as schemas from './schemas.ts'
import { partOf } from './whole-list.ts'

/** The outcome callbacks of cases, for members. */
export const callbackRoutes: readonly Route[] = [
  route({
    ...member,
    right: 'replayCallbacks',
    name: 'reviewCases.replayCallback',
    summary: 'Send a failed outcome callback again',
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/callback/replay',
    body: jsonBody(schemas.noBody, smallBody),
    answer: json(answers.replayedAnswer, 'ETag'),
    refuses: [
      'application_gone',
      'invalid_transition',
      'case_expired',
      'callback_not_configured',
      'callback_gone',
    ],
    handle: async ({ service, actor, param }) => {
      const replayed = await service.reviewCases.replayCallback(actor, param('reviewCaseId'))
      if (!replayed.ok) return replayed
      // The tag names the version of a case that its reader may read.
      return ok(
        'caseVersion' in replayed.value ? taggedCase(replayed.value) : { body: replayed.value },
      )
    },
  }),
  route({
    ...member,
    right: 'readCases',
    name: 'reviewCases.listCallbackAttempts',
    summary: 'List the attempts of seven days to send the outcome callback, newest first',
    method: 'GET',
    path: '/v1/review-cases/:reviewCaseId/callback/attempts',
    query: schemas.listQuery,
    answer: json(answers.callbackAttemptsAnswer),
    refuses: [],
    handle: async ({ service, actor, param, query, ctx }) => {
      const part = partOf(query)
      const { reviewCases } = service
      const listing = await reviewCases.listCallbackAttempts(actor, param('reviewCaseId'), part)
      return listing.ok ? ok(streamPart(ctx, 'attempts', listing.value, part)) : listing
    },
  }),
]
