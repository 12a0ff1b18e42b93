import { cursorLength, most, usualPageSize } from '@countersign/core/ledger'
import * as z from 'zod'
import { line } from './id-form.ts'

/** An ISO 8601 UTC time, handed on as ms since the epoch. */
export const time = z.iso.datetime().transform((value) => Date.parse(value))
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
