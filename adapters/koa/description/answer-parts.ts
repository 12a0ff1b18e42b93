import * as z from 'zod'

// Parts that the schemas of answers share.

/** ISO 8601 in UTC with milliseconds (interface, Conventions). */
export const time = z.iso.datetime({ precision: 3 })
export const count = z.int().min(0)
