import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OutsOf, optional } from '@countersign/core/kernel'
import type { FieldError } from '@countersign/core/ledger'
import { caseShape } from '@countersign/core/operations'
import { fieldError } from '../description/answers.ts'
import type { Holds, Same } from '../description/pins.ts'
import { queryOf } from '../input.ts'
import { json, noBody } from '../media.ts'
import type { ParametersOf } from '../operation.ts'
import { reply, route } from '../route.ts'

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
  query: queryOf({}),
  body: noBody,
  answer: json(caseShape),
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

test('a shape that is not the view of the core does not compile', () => {
  const { code, detail, pointer, parameter } = fieldError
  const { stateless, more, wider, absent } = {
    stateless: { code, pointer, parameter },
    more: { ...fieldError, secret: detail },
    wider: { ...fieldError, detail: pointer },
    absent: { ...fieldError, code: optional(code) },
  }
  const pins: [
    Holds<Same<OutsOf<typeof fieldError>, FieldError>>,
    // @ts-expect-error a member too few
    Holds<Same<OutsOf<typeof stateless>, FieldError>>,
    // @ts-expect-error a member too many
    Holds<Same<OutsOf<typeof more>, FieldError>>,
    // @ts-expect-error a member of another type
    Holds<Same<OutsOf<typeof wider>, FieldError>>,
    // @ts-expect-error a member that may be absent
    Holds<Same<OutsOf<typeof absent>, FieldError>>,
  ] = [true, false, false, false, false]
  assert.equal(pins.length, 5)
})
