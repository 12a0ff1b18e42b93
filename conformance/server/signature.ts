import { createHmac, createPublicKey, verify } from 'node:crypto'
import type { Delivery } from './sink.ts'

/** The signatures of a delivery and what they cover, read without any code of the service. */
export function signaturesOf({ headers, body }: Delivery): {
  readonly id: string
  readonly timestamp: number
  readonly entries: readonly { readonly scheme: string; readonly value: string }[]
  readonly signed: Buffer
} {
  const id = String(headers['webhook-id'])
  const timestamp = String(headers['webhook-timestamp'])
  const list = String(headers['webhook-signature'] ?? '')
  return {
    id,
    timestamp: Number(timestamp),
    entries: list.split(' ').map((entry) => {
      const comma = entry.indexOf(',')
      return { scheme: entry.slice(0, comma), value: entry.slice(comma + 1) }
    }),
    signed: Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
  }
}

/** How many entries are valid under a key, `whpk_…` or `whsec_…`. */
export function validUnder(delivery: Delivery, key: string): number {
  const { entries, signed } = signaturesOf(delivery)
  const bytes = Buffer.from(key.slice(key.indexOf('_') + 1), 'base64')
  if (key.startsWith('whsec_')) {
    const mac = createHmac('sha256', bytes).update(signed).digest('base64')
    return entries.filter(({ scheme, value }) => scheme === 'v1' && value === mac).length
  }
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
    format: 'jwk',
  })
  return entries.filter(
    ({ scheme, value }) =>
      scheme === 'v1a' && verify(null, signed, publicKey, Buffer.from(value, 'base64')),
  ).length
}
