import { createHash, createHmac } from 'node:crypto'
import type { Inbound, Surroundings } from '../steps.ts'
import { type BrokenReceiver, faultsOf, orElse } from './fault.ts'

const fault = faultsOf('key and algorithm confusion')
const killedBy = 'signature.confusion'

interface Parts {
  readonly id: string
  readonly timestamp: string
  readonly body: Uint8Array
}

const partsOf = ({ joined, body }: Inbound): Parts => ({
  id: joined['webhook-id'] ?? '',
  timestamp: joined['webhook-timestamp'] ?? '',
  body,
})

const entriesOf = ({ joined }: Inbound): readonly string[] =>
  (joined['webhook-signature'] ?? '').split(' ')

const contentOf = ({ id, timestamp, body }: Parts): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])

const isFresh = ({ timestamp }: Parts, { now }: Surroundings): boolean =>
  Math.abs(Number(timestamp) - now() / 1000) <= 300

/** Takes besides what is genuine a MAC that `make` makes, as base64 under v1. */
const taking = (
  name: string,
  make: (parts: Parts, around: Surroundings) => readonly (Uint8Array | null)[],
): BrokenReceiver =>
  fault(name, killedBy, () => ({
    authenticate: orElse((inbound, around) => {
      const parts = partsOf(inbound)
      if (!isFresh(parts, around)) return false
      const expected = make(parts, around).flatMap((mac) =>
        mac === null ? [] : [`v1,${Buffer.from(mac).toString('base64')}`],
      )
      return entriesOf(inbound).some((entry) => expected.includes(entry))
    }),
  }))

const textOf = ({ texts }: Surroundings, prefix: string): string =>
  texts.verifyKeys.find((text) => text.startsWith(prefix))?.slice(prefix.length) ?? ''

const publicBytes = (around: Surroundings): Buffer => Buffer.from(textOf(around, 'whpk_'), 'base64')
const secretBytes = (around: Surroundings): Buffer =>
  Buffer.from(textOf(around, 'whsec_'), 'base64')

const hmac = (key: Uint8Array | string, content: Uint8Array, algorithm = 'sha256'): Buffer =>
  createHmac(algorithm, key).update(content).digest()
const hash = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest()

/** Keys that an HMAC must never have. */
const keys: Readonly<Record<string, (around: Surroundings) => Uint8Array | string>> = {
  'the bytes of the public key': publicBytes,
  'the base64 text of the public key': (around) => textOf(around, 'whpk_'),
  'the text whpk_…': (around) => `whpk_${textOf(around, 'whpk_')}`,
  'the public key in hex': (around) => publicBytes(around).toString('hex'),
  'an empty secret': () => '',
  'the text undefined': () => 'undefined',
  'the text null': () => 'null',
  '32 zero bytes': () => Buffer.alloc(32),
  'the text of the secret': (around) => `whsec_${textOf(around, 'whsec_')}`,
  'the base64 text of the secret': (around) => textOf(around, 'whsec_'),
  'the secret of the legacy family': ({ texts }) => texts.legacySecret,
}

/** Contents that leave out what must be signed. */
const contents: Readonly<Record<string, (parts: Parts) => Uint8Array>> = {
  'without the id': ({ timestamp, body }) => Buffer.concat([Buffer.from(`${timestamp}.`), body]),
  'without the time': ({ id, body }) => Buffer.concat([Buffer.from(`${id}.`), body]),
  'of the body alone': ({ body }) => body,
  'without the body': ({ id, timestamp }) => Buffer.from(`${id}.${timestamp}`),
  'without full stops': ({ id, timestamp, body }) =>
    Buffer.concat([Buffer.from(`${id}${timestamp}`), body]),
  'with the time in front': ({ id, timestamp, body }) =>
    Buffer.concat([Buffer.from(`${timestamp}.${id}.`), body]),
}

/** What is taken for the scheme of an HMAC. */
const schemes: Readonly<Record<string, (entry: string, mac: string) => boolean>> = {
  'any scheme': (entry, mac) => entry.split(',')[1] === mac && !entry.startsWith('v1a'),
  'a scheme in any case': (entry, mac) => entry.toLowerCase() === `v1,${mac}`.toLowerCase(),
  'a scheme that begins with v1': (entry, mac) => /^v1[^a]*,/.test(entry) && entry.endsWith(mac),
  'no scheme': (entry, mac) => entry === mac,
  v2: (entry, mac) => entry === `v2,${mac}`,
  'an empty scheme': (entry, mac) => entry === `,${mac}`,
  'v1=': (entry, mac) => entry === `v1=${mac}`,
  sha256: (entry, mac) => entry === `sha256,${mac}`,
}

export const confusions: readonly BrokenReceiver[] = [
  ...Object.entries(keys).map(([name, key]) =>
    taking(`keys an HMAC with ${name}`, (parts, around) => [hmac(key(around), contentOf(parts))]),
  ),
  ...Object.entries(contents).map(([name, over]) =>
    taking(`takes a MAC ${name}`, (parts, around) => [hmac(secretBytes(around), over(parts))]),
  ),
  ...['sha1', 'sha512', 'md5'].map((algorithm) =>
    taking(`takes HMAC with ${algorithm}`, (parts, around) => [
      hmac(secretBytes(around), contentOf(parts), algorithm),
    ]),
  ),
  taking('takes a hash without a key', (parts) => [hash(contentOf(parts))]),
  taking('takes a hash of the secret and the content', (parts, around) => [
    hash(Buffer.concat([secretBytes(around), contentOf(parts)])),
  ]),
  ...Object.entries(schemes).map(([name, fits]) =>
    fault(`takes ${name} for HMAC`, killedBy, () => ({
      authenticate: orElse((inbound, around) => {
        const parts = partsOf(inbound)
        const mac = hmac(secretBytes(around), contentOf(parts)).toString('base64')
        return isFresh(parts, around) && entriesOf(inbound).some((entry) => fits(entry, mac))
      }),
    })),
  ),
  fault('takes the scheme none', killedBy, () => ({
    authenticate: orElse((inbound) => entriesOf(inbound).some((entry) => /^none/.test(entry))),
  })),
  fault('takes 64 zero bytes for a signature', killedBy, () => ({
    authenticate: orElse((inbound) =>
      entriesOf(inbound).some((entry) => entry === `v1a,${Buffer.alloc(64).toString('base64')}`),
    ),
  })),
]
