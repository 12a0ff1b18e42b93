const utf8 = new TextEncoder()

/** Request members in which a body parser may leave the raw bytes. */
export interface MaybeParsed {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/**
 * The raw bytes that a parser kept; `parsed` when only its result is left, null when nothing was read. Text is
 * accepted: if decoding lost anything, verification fails.
 */
export function givenBody(given: MaybeParsed): Uint8Array | 'parsed' | null {
  for (const candidate of [given.rawBody, given.body]) {
    if (candidate instanceof Uint8Array) return candidate
    if (typeof candidate === 'string') return utf8.encode(candidate)
  }
  return given.body === undefined || given.body === null ? null : 'parsed'
}
