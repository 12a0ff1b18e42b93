import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CaseView } from '@countersign/core'
import type { FieldError } from '@countersign/core/ledger'
import * as z from 'zod'
import { errorAnswer } from '../description/answers.ts'
import type { Holds, Same } from '../description/pins.ts'
import { type AnswerOf, json, noBody } from '../media.ts'
import type { ParametersOf } from '../operation.ts'
import { reply, route } from '../route.ts'
import * as schemas from '../schemas.ts'

const reviewCase = '/v1/review-cases/:reviewCaseId'
const row = {
  name: 'reviewCases.read',
  summary: 'Read a review case',
  host: 'portal',
  method: 'GET',
  path: `${reviewCase}/attempts/:attemptId`,
  auth: 'member',
  right: 'readCases',
  feature: null,
  throttled: false,
  errors: 'service',
  query: schemas.noQuery,
  body: noBody,
  answer: json(z.custom<CaseView>()),
  refuses: [],
} as const

test('a row compiles as its path, its schemas and its scheme say', () => {
  const names: readonly ParametersOf<typeof row.path>[] = ['reviewCaseId', 'attemptId']
  const none: readonly ParametersOf<'/v1/review-cases'>[] = []
  assert.deepEqual([names.length, none.length], [2, 0])

  const right = route({
    ...row,
    handle: async ({ service, actor, param }) =>
      reply(await service.reviewCases.read(actor, { reviewCaseId: param('reviewCaseId') })),
  })
  const wrong = [
    route({
      ...row,
      handle: async ({ service, actor, param }) =>
        // @ts-expect-error a misspelt parameter
        reply(await service.reviewCases.read(actor, { reviewCaseId: param('reviewCaseID') })),
    }),
    route({
      ...row,
      path: '/v1/review-cases',
      handle: async ({ service, actor, param }) =>
        // @ts-expect-error a path without parameters
        reply(await service.reviewCases.read(actor, { reviewCaseId: param('reviewCaseId') })),
    }),
    route({
      ...row,
      handle: async ({ service, actor, param }) =>
        // @ts-expect-error another answer than the row declares
        reply(await service.applications.read(actor, { applicationId: param('reviewCaseId') })),
    }),
    route({
      ...row,
      auth: 'application',
      handle: async ({ service, actor }) =>
        // @ts-expect-error an application has no session
        reply(await service.auth.session(actor, {})),
    }),
    route({
      ...row,
      // @ts-expect-error a code that the core does not know
      refuses: ['webhook_limits'],
      handle: async ({ service, actor, param }) =>
        reply(await service.reviewCases.read(actor, { reviewCaseId: param('reviewCaseId') })),
    }),
  ]
  for (const each of [right, ...wrong]) assert.equal(typeof each.serve, 'function')
})

test('a schema that is not the view of the core does not compile', () => {
  const { element: fieldError } = errorAnswer.shape.errors
  const { code, detail, pointer } = fieldError.shape
  const { stateless, more, wider, optional } = {
    stateless: fieldError.omit({ detail: true }),
    more: fieldError.extend({ secret: detail }),
    wider: fieldError.extend({ detail: pointer }),
    optional: fieldError.extend({ code: code.exactOptional() }),
  }
  const pins: [
    Holds<Same<AnswerOf<typeof fieldError>, FieldError>>,
    // @ts-expect-error a member too few
    Holds<Same<AnswerOf<typeof stateless>, FieldError>>,
    // @ts-expect-error a member too many
    Holds<Same<AnswerOf<typeof more>, FieldError>>,
    // @ts-expect-error a member of another type
    Holds<Same<AnswerOf<typeof wider>, FieldError>>,
    // @ts-expect-error a member that may be absent
    Holds<Same<AnswerOf<typeof optional>, FieldError>>,
  ] = [true, false, false, false, false]
  assert.equal(pins.length, 5)
})
