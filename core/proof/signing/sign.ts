import { contentPrefix, isMessageId, parseTimestamp } from './content.ts'
import { encodeBase64 } from './encoding.ts'
import { requireRawBody } from './input.ts'
import type { SigningKey } from './keys.ts'
import { maxSignatures } from './signature-list.ts'

/** A message to sign. */
export interface SignInput {
  /** The `webhook-id`; visible ASCII without a full stop or a comma. */
  readonly id: string
  /** Unix seconds at which this attempt is signed. */
  readonly timestamp: number
  readonly body: Uint8Array
  /** One signature each, in this order. */
  readonly keys: readonly SigningKey[]
}

/** The `webhook-signature` of a message; throws for input that no receiver would accept. */
export function sign(input: SignInput): string {
  const prefix = checkedPrefix(input)
  return input.keys.map((key) => signature(key, prefix, input.body)).join(' ')
}

function checkedPrefix({ id, timestamp, body, keys }: SignInput): string {
  if (!isMessageId(id))
    throw new TypeError(
      `expected an id of 1 to 256 visible ASCII characters without "." or ",", got ${JSON.stringify(id)}`,
    )
  if (parseTimestamp(String(timestamp)) === null)
    throw new RangeError(`expected a timestamp in whole unix seconds, got ${timestamp}`)
  requireRawBody(body)
  if (keys.length < 1 || keys.length > maxSignatures)
    throw new RangeError(`expected 1 to ${maxSignatures} keys to sign with, got ${keys.length}`)
  return contentPrefix(id, timestamp)
}

/**
 * The headers of a signed message, to be sent with exactly this body.
 *
 * @example
 * ```ts
 * import { loadSigningKey, portablePrimitives, signedHeaders } from '@countersign/core/signing'
 *
 * const body = new TextEncoder().encode('{"type":"ping"}')
 * const headers = signedHeaders({
 *   id: 'evt_1',
 *   timestamp: Math.floor(Date.now() / 1000),
 *   body,
 *   keys: [loadSigningKey(secret, portablePrimitives)],
 * })
 * await fetch('https://receiver.example.com/hooks', { method: 'POST', headers, body })
 * ```
 */
export function signedHeaders(input: SignInput): Readonly<Record<string, string>> {
  return headersOf(input, sign(input))
}

/** The same; a promise where one of the keys has a thread that signs. */
export function signedHeadersAside(
  input: SignInput,
): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
  const { keys, body } = input
  if (!keys.some((key) => key.scheme === 'v1a' && key.signAside)) return signedHeaders(input)
  const prefix = checkedPrefix(input)
  const signatures = Promise.all(keys.map((key) => signatureAside(key, prefix, body)))
  return signatures.then((made) => headersOf(input, made.join(' ')))
}

function headersOf(
  { id, timestamp }: SignInput,
  signatures: string,
): Readonly<Record<string, string>> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures,
  }
}

async function signatureAside(key: SigningKey, prefix: string, body: Uint8Array): Promise<string> {
  if (key.scheme === 'v1' || !key.signAside) return signature(key, prefix, body)
  return `v1a,${encodeBase64(await key.signAside(prefix, body))}`
}

function signature(key: SigningKey, prefix: string, body: Uint8Array): string {
  if (key.scheme === 'v1') return `v1,${key.mac(prefix, body, 'base64')}`
  return `v1a,${encodeBase64(key.sign(prefix, body))}`
}
