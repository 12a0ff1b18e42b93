import { decodeBase64, encodeBase64 } from '@countersign/core/signing'
import fc from 'fast-check'
import { anyKey, reviewMembers } from '../arbitraries.ts'
import { bytesOf, reviewEvent, type Signed, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { bounded, oneOfMany } from './signature-list.ts'

const header = 'webhook-signature'

const place = fc.oneof(
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

function alter(
  message: Signed,
  { part, at, mask }: { part: string; at: number; mask: number },
): Signed {
  const told = (label: string, change: Partial<Signed>): Signed => ({
    ...message,
    ...change,
    label: `${message.label}, ${label}`,
  })
  switch (part) {
    case 'body': {
      const index = at % message.body.length
      const body = message.body.slice()
      body[index] = (body[index] ?? 0) ^ mask
      return told(`byte ${index} of the body changed`, { body })
    }
    case 'order': {
      const body = message.body.slice()
      let index = at % (body.length - 1)
      while (body[index] === body[index + 1]) index = (index + 1) % (body.length - 1)
      body.set([body[index + 1] ?? 0, body[index] ?? 0], index)
      return told(`bytes ${index} and ${index + 1} of the body exchanged`, { body })
    }
    case 'signature': {
      const [scheme, text = ''] = String(message.headers[header]).split(',')
      const bytes = decodeBase64(text) ?? new Uint8Array(1)
      const index = at % bytes.length
      bytes[index] = (bytes[index] ?? 0) ^ mask
      const { headers } = withHeaders(message, { [header]: `${scheme},${encodeBase64(bytes)}` })
      return told(`byte ${index} of the signature changed`, { headers })
    }
    case 'id': {
      const index = 4 + (at % (message.id.length - 4))
      const other = message.id[index] === '0' ? '1' : '0'
      const id = message.id.slice(0, index) + other + message.id.slice(index + 1)
      const { headers } = withHeaders(message, { 'webhook-id': id })
      return told('webhook-id changed', { headers, id })
    }
    default: {
      const timestamp = String(Number(message.timestamp) - at)
      const { headers } = withHeaders(message, { 'webhook-timestamp': timestamp })
      return told(`webhook-timestamp changed by ${at} s`, { headers, timestamp })
    }
  }
}

const altered = property({
  name: 'signature.altered',
  promise: 'a message of which one byte was changed (id, time, body or signature) is refused',
  advice:
    'Compute the signature over `<webhook-id>.<webhook-timestamp>.<raw body>`, and check it on every delivery before anything else, also of ids that you know already.',
  weight: 2,
  histories: fc.record({ key: anyKey, members: reviewMembers, place, genuineFirst: fc.boolean() }),
  async play(session, { key, members, place, genuineFirst }) {
    const genuine = session.sign(reviewEvent(members), { key })
    const tampered = alter(genuine, place)
    if (genuineFirst) await session.accept(genuine)
    await session.refuse(tampered, { known: place.part !== 'id' })
    if (!genuineFirst) await session.accept(genuine)
  },
})

const rawBytes = property({
  name: 'signature.raw-bytes',
  promise: 'the signature is checked over the bytes that came, not over text decoded from them',
  advice:
    'Take the body as bytes (in Express `express.raw({ type: "*/*" })`) and feed those to the MAC. Decoded as text, every invalid byte becomes U+FFFD, and different bodies share a signature.',
  histories: fc.record({ byte: fc.integer({ min: 0xf8, max: 0xff }), key: anyKey }),
  async play(session, { byte, key }) {
    const event = reviewEvent({ note: '\uFFFD' })
    const body = bytesOf(JSON.stringify(event))
    const message = session.signBytes(event.id, body, `${event.type} with a U+FFFD`, { key })
    const at = body.indexOf(0xef)
    const other = Uint8Array.of(...body.subarray(0, at), byte, ...body.subarray(at + 3))
    const label = `the byte ${byte.toString(16)} in its place under the same signature`
    await session.refuse(
      { ...message, body: other, label: `${message.label}, ${label}` },
      { known: true },
    )
    await session.accept(message)
  },
})

const exactBytes = property({
  name: 'signature.exact-bytes',
  promise: 'white space, the order of members and the spelling of a body do not matter to it',
  advice:
    'Verify the bytes as they came. A body that is parsed and serialized again is another body: JSON.stringify drops white space, escapes and `1.0`.',
  histories: fc.record({
    indent: fc.integer({ min: 0, max: 4 }),
    reverse: fc.boolean(),
    escaped: fc.boolean(),
    ending: fc.constantFrom('', '\n', '\r\n', '  '),
    number: fc.constantFrom('1', '1.0', '1e0', '10e-1'),
    key: anyKey,
  }),
  async play(session, { indent, reverse, escaped, ending, number, key }) {
    const event = reviewEvent()
    const members = Object.entries(event)
    const ordered = reverse ? members.reverse() : members
    let text = JSON.stringify(Object.fromEntries(ordered), null, indent)
    text = text.replace(/"schemaVersion":( ?)1/, `"schemaVersion":$1${number}`)
    if (escaped) text = text.replace('standard', '\\u0073tandard')
    const label = `review.case.created spelled with ${JSON.stringify({ indent, reverse, escaped, ending, number })}`
    await session.accept(session.signBytes(event.id, bytesOf(text + ending), label, { key }))
  },
})

const wrongKey = property({
  name: 'signature.wrong-key',
  promise: 'a message signed with another key is refused, under the scheme of that key or another',
  advice:
    'Compare the whole MAC (or verify the Ed25519 signature) with your own key. A `v1` entry may only be checked with a shared secret, a `v1a` entry only with a public key.',
  histories: fc.record({
    stranger: fc.nat(1),
    relabel: fc.boolean(),
    key: anyKey,
    kind: fc.constantFrom('stranger' as const, 'confused' as const),
  }),
  async play(session, { stranger, relabel, key, kind }) {
    const event = reviewEvent()
    const chosen = session.target.keys.strangers[stranger]
    const own = session.key(key)
    let message = session.sign(event, {
      keys: kind === 'stranger' && chosen ? [chosen] : [own],
    })
    if (kind === 'confused' || relabel) {
      const text = String(message.headers[header])
      const swapped = text.startsWith('v1a,')
        ? text.replace('v1a,', 'v1,')
        : text.replace('v1,', 'v1a,')
      message = withHeaders(message, { [header]: swapped })
    }
    const label = kind === 'stranger' ? 'signed with another key' : 'signed under the other scheme'
    await session.refuse({ ...message, label: `${message.label}, ${label}` })
    await session.accept(session.sign(reviewEvent(), { key }))
  },
})

const names = ['webhook-id', 'webhook-timestamp', header] as const

const missing = property({
  name: 'signature.missing',
  promise: 'a message without one of its three headers, or with an empty one, is refused',
  advice:
    'Refuse with 400 or 401 when webhook-id, webhook-timestamp or webhook-signature is missing or empty.',
  histories: fc.record({
    lost: fc.subarray([...names], { minLength: 1 }),
    empty: fc.boolean(),
  }),
  async play(session, { lost, empty }) {
    const message = session.sign(reviewEvent())
    const change = Object.fromEntries(lost.map((name) => [name, empty ? '' : undefined]))
    const label = `${empty ? 'empty' : 'without'} ${lost.join(', ')}`
    await session.refuse({ ...withHeaders(message, change), label: `${message.label}, ${label}` })
    await session.accept(session.sign(reviewEvent()))
  },
})

const repeated = property({
  name: 'signature.repeated-header',
  promise:
    'a message in which one of the three headers comes twice with different values is refused',
  advice:
    'Most servers join a header that came twice with a comma. Refuse a value with a comma in webhook-id or webhook-timestamp, and split webhook-signature at single spaces alone.',
  histories: fc.record({ name: fc.constantFrom(...names), genuineFirst: fc.boolean() }),
  async play(session, { name, genuineFirst }) {
    const message = session.sign(reviewEvent())
    const value = String(message.headers[name])
    const other = name === 'webhook-id' ? reviewEvent().id : name === header ? 'v1,AAAA' : '1'
    const values = genuineFirst ? [value, other] : [other, value]
    await session.refuse({
      ...withHeaders(message, { [name]: values }),
      label: `${message.label}, ${name} twice, the genuine one ${genuineFirst ? 'first' : 'last'}`,
    })
    await session.accept(session.sign(reviewEvent()))
  },
})

const spoilings = {
  'cut short': (text: string, n: number) => text.slice(0, n % text.length),
  'cut to whole groups': (text: string, n: number) => text.slice(0, 4 * (n % 10)),
  doubled: (text: string) => text + text,
  'URL-safe': (text: string) => text.replaceAll('+', '-').replaceAll('/', '_'),
  'without its padding': (text: string) => text.replaceAll('=', ''),
  'with loose bits in its last character': looseBits,
  'followed by more': (text: string) => `${text}AAAA`,
  'as hex': (text: string) => Buffer.from(text, 'base64').toString('hex'),
  'in quotes': (text: string) => `"${text}"`,
} as const

function looseBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const end = text.indexOf('=')
  const next = alphabet[alphabet.indexOf(text[end - 1] ?? 'A') + 1] ?? 'B'
  return text.slice(0, end - 1) + next + text.slice(end)
}

const malformed = property({
  name: 'signature.malformed',
  promise: 'a signature that is cut, doubled, in another base64 or of another scheme is refused',
  advice:
    'Decode strict, padded base64, demand exactly 32 bytes for v1 (64 for v1a), then compare all of them in constant time. A comparison over the shorter of two lengths accepts the empty signature.',
  weight: 2,
  histories: fc.record({
    how: fc.constantFrom(
      ...(Object.keys(spoilings) as (keyof typeof spoilings)[]),
      'scheme' as const,
    ),
    n: fc.nat(100),
    scheme: fc.constantFrom('', 'v2', 'V1', 'sha256=', 'v1 '),
    key: anyKey,
  }),
  async play(session, { how, n, scheme, key }) {
    let message = session.sign(reviewEvent(), { key })
    // Only some signatures have a character that the two alphabets differ in.
    while (how === 'URL-safe' && !/[+/]/.test(String(message.headers[header])))
      message = session.sign(reviewEvent(), { key })
    const [name, text = ''] = String(message.headers[header]).split(',')
    const value = how === 'scheme' ? `${scheme},${text}` : `${name},${spoilings[how](text, n)}`
    const label =
      how === 'scheme' ? `under the scheme ${JSON.stringify(scheme)}` : `signature ${how}`
    await session.refuse({
      ...withHeaders(message, { [header]: value }),
      label: `${message.label}, ${label}`,
    })
    await session.accept(session.sign(reviewEvent(), { key }))
  },
})

export const signature: readonly Property[] = [
  altered,
  rawBytes,
  exactBytes,
  wrongKey,
  missing,
  repeated,
  malformed,
  oneOfMany,
  bounded,
]
