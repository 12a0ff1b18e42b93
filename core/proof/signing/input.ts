/** Throws a TypeError that says how to get at the raw bytes when `body` is anything else. */
export function requireRawBody(body: unknown): asserts body is Uint8Array {
  // The tag, because a Buffer made in another realm (test runners make one) is no instance of this one's Uint8Array.
  if (body instanceof Uint8Array) return
  if (Object.prototype.toString.call(body) === '[object Uint8Array]') return
  throw new TypeError(`expected the raw body as a Uint8Array, got ${mistake(body)}`)
}

function mistake(body: unknown): string {
  if (typeof body === 'string')
    return 'a string: a signature covers the bytes as they travelled, so take them before they are decoded'
  if (body instanceof ArrayBuffer) return 'an ArrayBuffer: wrap it, new Uint8Array(buffer)'
  if (body === null || typeof body !== 'object') return body === null ? 'null' : typeof body
  return 'an object: the body was parsed before it was verified, and serialized again it is no longer what was signed; keep the raw bytes (express.raw(), req.rawBody, await request.arrayBuffer())'
}

/** Throws unless there is a key; without one every message would be refused, and nobody would see why. */
export function requireKeys(keys: readonly unknown[]): void {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new TypeError('expected at least one key to verify with')
}
