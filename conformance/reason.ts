/** Why something failed: what a refused `localhost` ends in (an AggregateError) has a code and no message. */
export function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown }
  const { message, code } = cause as { readonly message?: string; readonly code?: string }
  return message || code || String(cause)
}
