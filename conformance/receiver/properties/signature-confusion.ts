import { createHash, createHmac, createPublicKey, sign as edSign } from 'node:crypto'
import { encodeBase64 } from '@countersign/core/signing'
import fc from 'fast-check'
import type { KnownKey } from '../keys.ts'
import { withHeaders } from '../messages.ts'
import { nodePrimitives } from '../node-primitives.ts'
import { type Property, property } from '../property.ts'
import type { Target } from '../target.ts'

/** What a signature is made over. */
interface Content {
  readonly id: string
  readonly timestamp: string
  readonly body: Uint8Array
  /** The entry that is right, of the receiver's first key. */
  readonly signed?: string
}

/** A signature that only a confused receiver takes for a valid one: the value of `webhook-signature`. */
interface Confusion {
  readonly name: string
  make(content: Content): string
}

const bytes = (text: string): Buffer => Buffer.from(text)
const full = ({ id, timestamp, body }: Content): Buffer =>
  Buffer.concat([bytes(`${id}.${timestamp}.`), body])

const mac = (key: Uint8Array, content: Uint8Array, algorithm = 'sha256'): Buffer =>
  createHmac(algorithm, key).update(content).digest()
const hash = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest()
const v1 = (signature: Uint8Array): string => `v1,${encodeBase64(signature)}`

/** Texts that a signature may be made over when a part is forgotten or misplaced. */
const contents: Readonly<Record<string, (content: Content) => Uint8Array>> = {
  'without the id': ({ timestamp, body }) => Buffer.concat([bytes(`${timestamp}.`), body]),
  'without the time': ({ id, body }) => Buffer.concat([bytes(`${id}.`), body]),
  'over the body alone': ({ body }) => body,
  'without the body': ({ id, timestamp }) => bytes(`${id}.${timestamp}`),
  'with an empty body': ({ id, timestamp }) => bytes(`${id}.${timestamp}.`),
  'without the full stops': ({ id, timestamp, body }) =>
    Buffer.concat([bytes(`${id}${timestamp}`), body]),
  'with colons for full stops': ({ id, timestamp, body }) =>
    Buffer.concat([bytes(`${id}:${timestamp}:`), body]),
  'with the time before the id': ({ id, timestamp, body }) =>
    Buffer.concat([bytes(`${timestamp}.${id}.`), body]),
  'over the hash of the body': ({ id, timestamp, body }) =>
    bytes(`${id}.${timestamp}.${hash(body).toString('hex')}`),
}

/** Keys that come out of a missing setting, and that everybody knows. */
const knownToAll: Readonly<Record<string, Uint8Array>> = {
  'an empty secret': Buffer.alloc(0),
  'the text undefined': bytes('undefined'),
  'the text null': bytes('null'),
  'the text whsec_': bytes('whsec_'),
  'the text secret': bytes('secret'),
  '24 zero bytes': Buffer.alloc(24),
  '32 zero bytes': Buffer.alloc(32),
}

const anyReceiver: readonly Confusion[] = [
  ...Object.entries(knownToAll).map(([name, key]) => ({
    name: `keyed with ${name}`,
    make: (content: Content) => v1(mac(key, full(content))),
  })),
  { name: 'a hash without a key', make: (content) => v1(hash(full(content))) },
  { name: 'a hash of the body without a key', make: ({ body }) => v1(hash(body)) },
  ...['v1,', 'v1a,', 'v1,undefined', 'v1,null', 'none,', 'none', 'v1', 'v0,AAAA'].map((value) => ({
    name: `the value ${value}`,
    make: () => value,
  })),
  { name: '32 zero bytes as v1', make: () => v1(Buffer.alloc(32)) },
  { name: '64 zero bytes as v1a', make: () => `v1a,${encodeBase64(Buffer.alloc(64))}` },
]

function ofSecret(secret: Uint8Array, text: string): readonly Confusion[] {
  const base64 = text.slice('whsec_'.length)
  const texts = { 'its whole text': text, 'its base64 text': base64 }
  const right = (content: Content) => encodeBase64(mac(secret, full(content)))
  const schemes = ['v2', 'v0', 'v9', 'v11', 'v10', 'V1', 'hmac', 'sha256', 'hmac-sha256', '1', '']
  return [
    ...Object.entries(texts).map(([name, key]) => ({
      name: `keyed with ${name} instead of the secret's bytes`,
      make: (content: Content) => v1(mac(bytes(key), full(content))),
    })),
    ...Object.entries(contents).map(([name, over]) => ({
      name: `signed ${name}`,
      make: (content: Content) => v1(mac(secret, over(content))),
    })),
    ...['sha1', 'sha512', 'md5'].map((algorithm) => ({
      name: `HMAC with ${algorithm}`,
      make: (content: Content) => v1(mac(secret, full(content), algorithm)),
    })),
    {
      name: 'HMAC with sha512, cut to 32 bytes',
      make: (content) => v1(mac(secret, full(content), 'sha512').subarray(0, 32)),
    },
    {
      name: 'a hash of the secret and the content',
      make: (content) => v1(hash(Buffer.concat([secret, full(content)]))),
    },
    ...schemes.map((scheme) => ({
      name: `its MAC under the scheme ${JSON.stringify(scheme)}`,
      make: (content: Content) => `${scheme},${right(content)}`,
    })),
    { name: 'its MAC without a scheme', make: right },
    { name: 'v1= for v1,', make: (content) => `v1=${right(content)}` },
    { name: 'v1: for v1,', make: (content) => `v1:${right(content)}` },
    {
      name: 'its MAC as hex',
      make: (content) => `v1,${mac(secret, full(content)).toString('hex')}`,
    },
  ]
}

function ofKeyPair(seed: Uint8Array): readonly Confusion[] {
  const raw = nodePrimitives.ed25519PublicKey(seed)
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const pem = createPublicKey({ key: der, format: 'der', type: 'spki' }).export({
    format: 'pem',
    type: 'spki',
  })
  const base64 = encodeBase64(raw)
  const keys: Readonly<Record<string, Uint8Array>> = {
    'its bytes': raw,
    'its base64 text': bytes(base64),
    'its text whpk_…': bytes(`whpk_${base64}`),
    'its PEM': bytes(String(pem)),
    'its DER': der,
    'its hex': bytes(Buffer.from(raw).toString('hex')),
  }
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const signed = (content: Uint8Array) =>
    encodeBase64(edSign(null, content, { key: pkcs8, format: 'der', type: 'pkcs8' }))
  return [
    ...Object.entries(keys).map(([name, key]) => ({
      name: `HMAC keyed with the public key, ${name}`,
      make: (content: Content) => v1(mac(key, full(content))),
    })),
    ...Object.entries(contents).map(([name, over]) => ({
      name: `signed with Ed25519 ${name}`,
      make: (content: Content) => `v1a,${signed(over(content))}`,
    })),
    ...['V1A', 'v1b', 'v2a', 'v1', 'ed25519', 'a', ''].map((scheme) => ({
      name: `its Ed25519 signature under the scheme ${JSON.stringify(scheme)}`,
      make: (content: Content) => `${scheme},${signed(full(content))}`,
    })),
  ]
}

function ofKnown({ text, parsed }: KnownKey): readonly Confusion[] {
  if (parsed.kind === 'shared_secret') return ofSecret(parsed.secret, text)
  return parsed.kind === 'private_key' ? ofKeyPair(parsed.seed) : []
}

const ofLegacySecret = ({ legacy }: Target['keys']): readonly Confusion[] =>
  legacy === null
    ? []
    : [
        {
          name: 'keyed with the secret of the legacy family',
          make: ({ id, timestamp, body }) =>
            `v1,${legacy.mac(`${id}.${timestamp}.`, body, 'base64')}`,
        },
      ]

export const confusion: Property = property<Confusion>({
  name: 'signature.confusion',
  everyFamily: 'each case',
  share: 9,
  promise: 'no other key, algorithm, scheme or signed text passes for the one that is agreed',
  advice:
    'Let the exact scheme of an entry decide: `v1` is HMAC-SHA-256 with the bytes that base64 behind `whsec_` stands for, `v1a` is Ed25519 with a public key, and any other entry is passed over. A public key, an empty secret or a text that stands for a missing setting must never key an HMAC: fail at start without a secret.',
  each: ({ keys }) => [...anyReceiver, ...keys.known.flatMap(ofKnown), ...ofLegacySecret(keys)],
  weight: 0.5,
  // Schemes that nobody agreed on, over the MAC that would be right under v1.
  histories: fc
    .stringMatching(/^[a-z0-9-]{1,8}$/)
    .filter((scheme) => !/^v1a?$/.test(scheme))
    .map((scheme) => ({
      name: `the first key's signature under the scheme ${scheme}`,
      make: ({ signed = '' }: Content) => signed.replace(/^[^,]*/, scheme),
    })),
  async play(session, { name, make }) {
    const genuine = session.sign(session.event())
    const signed = String(genuine.headers['webhook-signature'])
    const forged = withHeaders(genuine, { 'webhook-signature': make({ ...genuine, signed }) })
    await session.refuse({ ...forged, label: `${forged.label}, ${name}` })
    await session.accept(session.sign(session.event()))
  },
})
