import { pattern, text, whole } from './shape.ts'

/** A SHA-256 in hex. */
export const digest = pattern(/^[0-9a-f]{64}$/, '64 lower-case hex digits', 64)

/** A position, a version, a number of tries: counted from 1, without an end. */
export const fromOne = whole(1, Number.MAX_SAFE_INTEGER)

/** A text of any length, such as one that the service itself wrote. */
export const anyText = text(Number.MAX_SAFE_INTEGER, 0)
