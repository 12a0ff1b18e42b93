import { decodeBase64, encodeBase64 } from '@countersign/core/signing'
import fc from 'fast-check'
import { anyKey, plainMembers } from '../arbitraries.ts'
import { type Signed, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import type { Target } from '../target.ts'

const header = 'webhook-signature'

/** One byte of a message that is changed after signing. */
interface Alteration {
  readonly part: 'body' | 'end' | 'signature' | 'letters' | 'id' | 'timestamp'
  /** Where: an index counted around, from the end where negative, or seconds. */
  readonly at: number
  readonly mask: number
}

const drawnPlace: fc.Arbitrary<Alteration> = fc.oneof(
  fc.record({
    part: fc.constant('body' as const),
    at: fc.nat(2000),
    mask: fc.integer({ min: 1, max: 255 }),
  }),
  fc.record({
    part: fc.constant('signature' as const),
    at: fc.nat(63),
    mask: fc.integer({ min: 1, max: 255 }),
  }),
  fc.record({ part: fc.constant('id' as const), at: fc.nat(29), mask: fc.constant(0) }),
  fc.record({
    part: fc.constant('timestamp' as const),
    at: fc.integer({ min: 1, max: 60 }),
    mask: fc.constant(0),
  }),
)

function alter(message: Signed, { part, at, mask }: Alteration): Signed {
  const told = (label: string, change: Partial<Signed>): Signed => ({
    ...message,
    ...change,
    label: `${message.label}, ${label}`,
  })
  switch (part) {
    case 'body': {
      const index = placeIn(message.body.length, at)
      const body = message.body.slice()
      body[index] = (body[index] ?? 0) ^ mask
      return told(`byte ${index} of ${body.length} of the body changed`, { body })
    }
    case 'end': {
      const body =
        at < 0 ? message.body.slice(0, at) : Buffer.concat([message.body, Buffer.alloc(at, mask)])
      return told(`${Math.abs(at)} bytes ${at < 0 ? 'cut off' : 'added at'} the body's end`, {
        body,
      })
    }
    case 'signature': {
      const [scheme, text = ''] = String(message.headers[header]).split(',')
      const bytes = decodeBase64(text) ?? new Uint8Array(1)
      const index = placeIn(bytes.length, at)
      bytes[index] = (bytes[index] ?? 0) ^ mask
      const { headers } = withHeaders(message, { [header]: `${scheme},${encodeBase64(bytes)}` })
      return told(`byte ${index} of the signature changed`, { headers })
    }
    case 'letters': {
      const [scheme, text = ''] = String(message.headers[header]).split(',')
      const { headers } = withHeaders(message, { [header]: `${scheme},${otherCase(text, at)}` })
      return told(`${at < 0 ? 'every letter' : 'one letter'} of the signature in the other case`, {
        headers,
      })
    }
    case 'id': {
      const index = 4 + placeIn(message.id.length - 4, at)
      const other = message.id[index] === '0' ? '1' : '0'
      const id = message.id.slice(0, index) + other + message.id.slice(index + 1)
      const { headers } = withHeaders(message, { 'webhook-id': id })
      return told(`character ${index} of webhook-id changed`, { headers, id })
    }
    case 'timestamp': {
      const timestamp = String(Number(message.timestamp) - at)
      const { headers } = withHeaders(message, { 'webhook-timestamp': timestamp })
      return told(`webhook-timestamp changed by ${at} s`, { headers, timestamp })
    }
  }
}

const placeIn = (length: number, at: number): number => ((at % length) + length) % length

/** With the case of the nth letter swapped, of every letter where n is negative. */
function otherCase(text: string, n: number): string {
  const letters = [...text].flatMap((character, at) => (/[a-z]/i.test(character) ? [at] : []))
  const chosen = n < 0 ? new Set(letters) : new Set([letters[n % letters.length]])
  return [...text]
    .map((character, at) => {
      if (!chosen.has(at)) return character
      return character === character.toLowerCase()
        ? character.toUpperCase()
        : character.toLowerCase()
    })
    .join('')
}

interface History {
  readonly key: number
  readonly members: Readonly<Record<string, unknown>>
  readonly place: Alteration
  readonly genuineFirst: boolean
  /** Bytes by which the body is longer than usual. */
  readonly padding: number
}

/** Below this the genuine message has to be accepted. */
const mostPadding = 60_000

function listed({ keys }: Target): readonly History[] {
  const places = keys.standard.flatMap(({ scheme }, key) => {
    const bytes = scheme === 'v1' ? range(32) : range(8).map((at) => at * 9)
    return [
      ...bytes.map((at) => ({ key, place: { part: 'signature' as const, at, mask: 1 } })),
      { key, place: { part: 'signature' as const, at: -1, mask: 0x80 } },
      ...[-1, 0, 5].map((at) => ({ key, place: { part: 'letters' as const, at, mask: 0 } })),
    ]
  })
  const plain: readonly Alteration[] = [
    ...[0, 1, 100, 200, -100, -2, -1].map((at) => ({ part: 'body' as const, at, mask: 1 })),
    ...[1, 64].map((at) => ({ part: 'end' as const, at, mask: 0x20 })),
    { part: 'end', at: 1, mask: 0 },
    { part: 'end', at: -1, mask: 0 },
    ...range(26).map((at) => ({ part: 'id' as const, at, mask: 0 })),
    ...[1, -1, 9, 10, 60, 99, 100, 240].map((at) => ({
      part: 'timestamp' as const,
      at,
      mask: 0,
    })),
  ]
  const large = [3_000, 10_000, 20_000, 40_000, 66_000, 140_000, 300_000].flatMap((padding) =>
    [-2, -1_000].map((at) => ({ key: 0, padding, place: { part: 'body' as const, at, mask: 1 } })),
  )
  const all = [...places, ...plain.map((place) => ({ key: 0, place })), ...large]
  return all.map((one, at) => ({
    members: {},
    padding: 0,
    ...one,
    genuineFirst: at % 2 === 1,
  }))
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)

export const altered: Property = property<History>({
  name: 'signature.altered',
  everyFamily: true,
  share: 8,
  promise: 'a message of which one byte was changed (id, time, body or signature) is refused',
  advice:
    'Compute the signature over `<webhook-id>.<webhook-timestamp>.<raw body>`, all of it, compare all of its bytes, and check it on every delivery before anything else, also of ids that you know already.',
  each: listed,
  histories: fc.record({
    key: anyKey,
    members: plainMembers,
    place: drawnPlace,
    genuineFirst: fc.boolean(),
    padding: fc.constant(0),
  }),
  async play(session, { key, members, place, genuineFirst, padding }) {
    const labels = padding > 0 ? { labels: 'x'.repeat(padding) } : {}
    const genuine = session.sign(session.event({ ...members, ...labels }), { key })
    const tampered = alter(genuine, place)
    const must = padding <= mostPadding
    if (genuineFirst && must) await session.accept(genuine)
    await session.refuse(tampered, { known: place.part !== 'id', cut: !must })
    if (!genuineFirst && must) await session.accept(genuine)
  },
})
