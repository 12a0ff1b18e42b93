// Details of refusals about the body, for the observer.

/** Detail of `body_already_parsed`. */
export const parsedBody =
  'the body was read before the receiver saw it, and what a parser leaves is no longer what was signed: mount the receiver before any body parser, or let the parser keep the raw bytes (express.raw(), rawBody)'

/** Detail of `body_too_large`. */
export function tooLarge(maxBodyBytes: number): string {
  return `expected a body of at most ${maxBodyBytes} bytes (maxBodyBytes)`
}

/** Detail of `busy`. */
export const noRoom =
  'bodies that are read or stored hold as much as they may together (maxHeldBytes), and this is the unfinished one that began first, or came last'

/** Detail of `body_too_slow`. */
export function tooSlow(length: number, ackDeadlineMs: number): string {
  return `${length} bytes came in ${ackDeadlineMs} ms (ackDeadlineMs), and not the body's end`
}
