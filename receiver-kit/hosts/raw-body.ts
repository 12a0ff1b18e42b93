const utf8 = new TextEncoder()

/** What a framework's parser left on its request; either member may hold the raw bytes. */
export interface MaybeParsed {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/**
 * The raw bytes that a parser kept, `parsed` when it kept only its result, null when nothing was read. Text is taken
 * too: were anything lost in decoding it, its signature would not fit.
 */
export function givenBody(given: MaybeParsed): Uint8Array | 'parsed' | null {
  for (const candidate of [given.rawBody, given.body]) {
    if (candidate instanceof Uint8Array) return candidate
    if (typeof candidate === 'string') return utf8.encode(candidate)
  }
  return given.body === undefined || given.body === null ? null : 'parsed'
}
