// Details of refusals that are about the body; the observer hears them.

/** For a body of which only the parsed form is left. */
export const parsedBody =
  'the body was read before the receiver saw it, and what a parser leaves is no longer what was signed: mount the receiver before any body parser, or let the parser keep the raw bytes (express.raw(), rawBody)'

/** For a body over its bound. */
export function tooLarge(maxBodyBytes: number): string {
  return `expected a body of at most ${maxBodyBytes} bytes (maxBodyBytes)`
}

/** For a body that did not end in time. */
export function tooSlow(length: number, ackDeadlineMs: number): string {
  return `${length} bytes came in ${ackDeadlineMs} ms (ackDeadlineMs), and not the body's end`
}
