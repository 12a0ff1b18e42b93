import { reasonGroups, reviewTiers } from '@countersign/core/events'
import { cursorLength, longest, most, usualPageSize } from '@countersign/core/ledger'
import * as z from 'zod'
import { id, line } from './id-form.ts'

const text = (upTo: number) => z.string().min(1).max(upTo)
/** An ISO 8601 UTC time, handed on as ms since the epoch. */
export const time = z.iso.datetime().transform((value) => Date.parse(value))
const version = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
/** Whole numbers in a query: canonical decimal digits only. The API's description calls them integers. */
export const wholeNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'expected a whole number from 1')
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999 })

const pageSize = wholeNumber
  .refine((size) => size <= most.pageSize, `expected at most ${most.pageSize}`)
  .meta({ maximum: most.pageSize })

export const pageQuery = z.strictObject({
  page: wholeNumber.default(1),
  pageSize: pageSize.default(usualPageSize),
})

export const listParameters = {
  page: wholeNumber.optional(),
  pageSize: pageSize.optional(),
  after: line(cursorLength).optional(),
  limit: pageSize.optional(),
}

interface Part {
  readonly page?: number | undefined
  readonly pageSize?: number | undefined
  readonly after?: string | number | undefined
  readonly limit?: number | undefined
}

/** A page, or what is behind a cursor. */
export const isOnePart = ({ page, pageSize, after, limit }: Part) =>
  (page === undefined && pageSize === undefined) || (after === undefined && limit === undefined)
export const onePart = { error: 'expected page and pageSize, or after and limit', path: ['after'] }

export const listQuery = z.strictObject(listParameters).refine(isOnePart, onePart)

export const optionalPageQuery = z.strictObject({
  page: wholeNumber.optional(),
  pageSize: pageSize.optional(),
})

export const noQuery = z.strictObject({})
export const noBody = z.strictObject({})

export const openCase = z.strictObject({
  sessionId: id,
  stepId: id.nullish(),
  checkpointId: id,
  resumeToken: text(longest.resumeToken).nullish(),
  reasonCategory: z.enum([...reasonGroups.why, ...reasonGroups.else]),
  reviewTier: z.enum(reviewTiers).optional(),
  dueAt: time.optional(),
  expiresAt: time.optional(),
  presentation: z.record(z.string(), z.unknown()),
  requestedBy: id.nullish(),
  policyResults: z.array(z.unknown()).max(most.policyResults).optional(),
  idempotencyKey: id,
})

const cancellation = z.enum(reasonGroups.cancellation)
export const claim = z.strictObject({ caseVersion: version.optional() })
export const reassign = z.strictObject({ caseVersion: version.optional(), reviewerId: id })
export const followUp = z.strictObject({
  caseVersion: version.optional(),
  question: text(longest.question),
})
export const followUpResponse = z.strictObject({
  caseVersion: version.optional(),
  answer: text(longest.answer),
})
export const decide = z.strictObject({
  caseVersion: version.optional(),
  presentationDigest: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hex digits'),
  decision: z.enum(['approved', 'rejected', 'response_submitted']),
  comment: text(longest.comment).nullish(),
  response: z.unknown().optional(),
})
export const cancel = z.strictObject({
  caseVersion: version.optional(),
  reasonCategory: cancellation,
})
export const continuation = z.strictObject({
  outcome: z.enum(reasonGroups.continuation),
  detail: text(longest.detail).nullish(),
})

export const caseListQuery = z
  .strictObject({
    ...listParameters,
    state: z.enum(['open', 'decided', 'cancelled', 'expired']).optional(),
    assignee: id.optional(),
    tier: z.enum(reviewTiers).optional(),
    applicationId: id.optional(),
    sessionId: id.optional(),
    include: z.literal('presentation').optional(),
  })
  .refine(isOnePart, onePart)
