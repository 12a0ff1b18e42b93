import type { RejectionReason } from '../../content/span.ts'

/** A body that is no export; it is refused whole. */
export class ShapeError extends Error {
  /** JSON pointer (RFC 6901) relative to the thrower; each caller prepends its own part. */
  pointer: string

  constructor(pointer: string, detail: string) {
    super(detail)
    this.pointer = pointer
  }
}

/** A span that can't be taken, while those beside it can. */
export class SpanRejected extends Error {
  readonly reason: RejectionReason

  constructor(reason: RejectionReason) {
    super(reason)
    this.reason = reason
  }
}

/** The error to throw on, its pointer from one level further up. Only then is a path written out. */
export function within(error: unknown, part: string): unknown {
  if (error instanceof ShapeError) error.pointer = part + error.pointer
  return error
}
