import {
  formatPublicKey,
  keyPairOf,
  legacyHeaders,
  legacyKey,
  loadSigningKey,
  type Primitives,
  portablePrimitives,
  signedHeaders,
} from '@countersign/core/signing'

export { sampleChallenge, sampleEvent, sampleOutcome, sampleReviewEvent } from './samples.ts'
export {
  createTestProbe,
  type EffectLog,
  type TestProbe,
  type TestProbeOptions,
} from './test-probe.ts'

const utf8 = new TextEncoder()

/** A signed request: POST the body with these headers. */
export interface SignedMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Signs messages as the service does, for tests of a receiver. */
export interface TestSigner {
  /** Key for the `keys` of the receiver under test (`whpk_…` or `whsec_…`). */
  readonly key: string
  /** Signs in the Standard Webhooks profile, under the message's own id. */
  sign<M extends { readonly id: string }>(message: M, at?: number): SignedMessage
  /** Signs any bytes under any id, for tests of refusals. */
  signBytes(id: string, body: Uint8Array, at?: number): SignedMessage
  /** The same as a Fetch request. */
  request<M extends { readonly id: string }>(message: M, url?: string): Request
}

/** Options of `createTestSigner`. */
export interface TestSignerOptions {
  /** `whsk_…` or `whsec_…`; default a fixed, publicly known Ed25519 key. */
  readonly privateKey?: string
  /** Ms since the epoch; the system's clock unless given. */
  readonly now?: () => number
  readonly primitives?: Primitives
}

/**
 * Creates a signer for tests. Never configure its default key outside of tests.
 *
 * @example
 * ```ts
 * import { createReceiver, memoryInbox } from '@countersign/receiver-kit'
 * import { createTestSigner, sampleReviewEvent } from '@countersign/receiver-kit/testing'
 *
 * const signer = createTestSigner()
 * const receiver = createReceiver({ keys: [signer.key], inbox: memoryInbox(), onEvent: () => {} })
 * const answer = await receiver.fetch(signer.request(sampleReviewEvent({ type: 'review.case.overdue' })))
 * console.log(answer.status) // 200
 * ```
 */
export function createTestSigner(options: TestSignerOptions = {}): TestSigner {
  const { now = Date.now, primitives = portablePrimitives } = options
  const pair = keyPairOf(new Uint8Array(32).fill(7), primitives)
  const text = options.privateKey ?? pair.privateKey
  const signingKey = loadSigningKey(text, primitives)

  const signBytes = (id: string, body: Uint8Array, at = now()): SignedMessage => ({
    headers: {
      'content-type': 'application/json',
      ...signedHeaders({ id, timestamp: Math.floor(at / 1000), body, keys: [signingKey] }),
    },
    body,
  })
  const sign: TestSigner['sign'] = (message, at) =>
    signBytes(message.id, utf8.encode(JSON.stringify(message)), at)
  return {
    key: signingKey.scheme === 'v1' ? text : formatPublicKey(signingKey.publicKey),
    sign,
    signBytes,
    request(message, url = 'https://receiver.test/') {
      return new Request(url, { method: 'POST', ...sign(message) })
    },
  }
}

/** Signs a message of the legacy family (`X-Service-Signature`) with the webhook's secret. */
export function signLegacyEvent(
  message: object,
  secret: string,
  primitives: Primitives = portablePrimitives,
): SignedMessage {
  const body = utf8.encode(JSON.stringify(message))
  const headers = legacyHeaders({ body, key: legacyKey(secret, primitives) })
  return { headers: { 'content-type': 'application/json', ...headers }, body }
}
