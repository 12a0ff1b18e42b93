import * as z from 'zod'

// Parts that the schemas of answers share.

/** ISO 8601 in UTC with milliseconds (interface, Conventions). */
export const time = z.iso.datetime({ precision: 3 })
export const count = z.int().min(0)
export const position = z.int().min(1)
/** Hex SHA-256. */
export const hash = z.string().regex(/^[0-9a-f]{64}$/)
export const anything = z.record(z.string(), z.unknown())
/** What began an attempt. */
export const trigger = z.enum(['event', 'retry', 'test', 'replay', 'verification'])
/** How outcomes and events are signed. */
export const method = z.enum(['ed25519', 'shared_secret'])

export const paging = { totalCount: count, page: position, pageSize: count, hasMore: z.boolean() }
export const cursor = { next: z.string().nullable(), totalCount: count }
