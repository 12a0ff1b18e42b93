/**
 * Visible ASCII that is safe in a header. Without a full stop, else another split of `id.timestamp.body` could claim
 * the same signature; without a comma, which is how two headers that were joined look.
 */
const messageId = /^[!-+/-~-]{1,256}$/
const unixSeconds = /^[1-9][0-9]{0,11}$/

export function isMessageId(text: string): boolean {
  return messageId.test(text)
}

/** Strict unix seconds, null for any other text; `parseInt` would read `1700000000abc`. */
export function parseTimestamp(text: string): number | null {
  return unixSeconds.test(text) ? Number(text) : null
}

/** What a signature covers is this followed by the body: `<id>.<timestamp>.<body>` (Standard Webhooks). */
export function contentPrefix(id: string, timestamp: number): string {
  return `${id}.${timestamp}.`
}
