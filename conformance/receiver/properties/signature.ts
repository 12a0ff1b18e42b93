import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { freshId, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { altered } from './signature-altered.ts'
import { exactBytes, rawBytes } from './signature-bytes.ts'
import { circumstance, underLoad } from './signature-circumstances.ts'
import { confusion } from './signature-confusion.ts'
import { bounded, oneOfMany } from './signature-list.ts'

const header = 'webhook-signature'

const wrongKey = property({
  name: 'signature.wrong-key',
  everyFamily: 'each case',
  share: 4,
  promise: 'a message signed with another key is refused, under the scheme of that key or another',
  advice:
    'Compare the whole MAC (or verify the Ed25519 signature) with your own key. A `v1` entry may only be checked with a shared secret, a `v1a` entry only with a public key.',
  each: ({ keys }) =>
    [0, 1].flatMap((stranger) =>
      [false, true].flatMap((relabel) =>
        keys.standard.flatMap((_, key) =>
          (['stranger', 'confused'] as const).map((kind) => ({ stranger, relabel, key, kind })),
        ),
      ),
    ),
  async play(session, { stranger, relabel, key, kind }) {
    const event = session.event()
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
    await session.accept(session.sign(session.event(), { key }))
  },
})

const names = ['webhook-id', 'webhook-timestamp', header] as const

const missing = property({
  name: 'signature.missing',
  everyFamily: 'each case',
  promise: 'a message without one of its three headers, or with an empty one, is refused',
  advice:
    'Refuse with 400 or 401 when webhook-id, webhook-timestamp or webhook-signature is missing or empty.',
  each: [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]].flatMap((which) =>
    [false, true].map((empty) => ({ lost: names.filter((_, at) => which.includes(at)), empty })),
  ),
  async play(session, { lost, empty }) {
    const message = session.sign(session.event())
    const change = Object.fromEntries(lost.map((name) => [name, empty ? '' : undefined]))
    const label = `${empty ? 'empty' : 'without'} ${lost.join(', ')}`
    await session.refuse({ ...withHeaders(message, change), label: `${message.label}, ${label}` })
    await session.accept(session.sign(session.event()))
  },
})

const repeated = property({
  name: 'signature.repeated-header',
  everyFamily: 'each case',
  level: 'hardening',
  promise:
    'a message in which one of the three headers comes twice with different values is refused',
  advice:
    'Refuse a request that has webhook-id, webhook-timestamp or webhook-signature more than once. Node: count them in `request.rawHeaders`, or refuse a comma in the id and the time, for `request.headers` joins both values with one. Python’s http.server: `len(self.headers.get_all(name)) == 1`, for `self.headers[name]` takes the first in silence. Do it before a library such as `standardwebhooks` sees the headers.',
  each: names.flatMap((name) => [true, false].map((genuineFirst) => ({ name, genuineFirst }))),
  async play(session, { name, genuineFirst }) {
    const message = session.sign(session.event())
    const value = String(message.headers[name])
    const other = name === 'webhook-id' ? freshId('evt') : name === header ? 'v1,AAAA' : '1'
    const values = genuineFirst ? [value, other] : [other, value]
    await session.refuse({
      ...withHeaders(message, { [name]: values }),
      label: `${message.label}, ${name} twice, the genuine one ${genuineFirst ? 'first' : 'last'}`,
    })
    await session.accept(session.sign(session.event()))
  },
})

const spoilings = {
  'cut short': (text: string, n: number) => text.slice(0, n % text.length),
  'cut in front': (text: string, n: number) => text.slice(1 + (n % (text.length - 1))),
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
  everyFamily: true,
  share: 6,
  promise: 'a signature that is cut, doubled, in another base64 or of another scheme is refused',
  advice:
    'Decode strict, padded base64, demand exactly 32 bytes for v1 (64 for v1a), then compare all of them in constant time. A comparison over the shorter of two lengths accepts the empty signature.',
  each: ({ keys }) =>
    keys.standard.flatMap((_, key) => [
      ...(Object.keys(spoilings) as (keyof typeof spoilings)[]).map((how) => ({
        how,
        n: 7,
        scheme: '',
        key,
      })),
      ...[0, 1, 2, 4, 8, 10, 16, 20, 22, 32, 40, 42, 43].flatMap((n) =>
        (['cut short', 'cut in front'] as const).map((how) => ({ how, n, scheme: '', key })),
      ),
      ...['', 'v2', 'V1', 'sha256=', 'v1 '].map((scheme) => ({
        how: 'scheme' as const,
        n: 0,
        scheme,
        key,
      })),
    ]),
  histories: fc.record({
    how: fc.constantFrom(...(Object.keys(spoilings) as (keyof typeof spoilings)[])),
    n: fc.nat(100),
    scheme: fc.constant(''),
    key: anyKey,
  }),
  async play(session, { how, n, scheme, key }) {
    let message = session.sign(session.event(), { key })
    // Only some signatures have a character that the two alphabets differ in.
    while (how === 'URL-safe' && !/[+/]/.test(String(message.headers[header])))
      message = session.sign(session.event(), { key })
    const [name, text = ''] = String(message.headers[header]).split(',')
    const value = how === 'scheme' ? `${scheme},${text}` : `${name},${spoilings[how](text, n)}`
    const label =
      how === 'scheme' ? `under the scheme ${JSON.stringify(scheme)}` : `signature ${how}`
    await session.refuse({
      ...withHeaders(message, { [header]: value }),
      label: `${message.label}, ${label}`,
    })
    await session.accept(session.sign(session.event(), { key }))
  },
})

export const signature: readonly Property[] = [
  altered,
  circumstance,
  underLoad,
  confusion,
  rawBytes,
  exactBytes,
  wrongKey,
  missing,
  repeated,
  malformed,
  oneOfMany,
  bounded,
]
