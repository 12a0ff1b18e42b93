import { type Signed, withHeaders } from '../messages.ts'
import { allTypes, families, typeOf, typesInTurn } from '../types.ts'

/** A way in which a delivery may differ from the usual one, and that must change nothing about its signature. */
export interface Circumstance {
  readonly name: string
  /** Members of the event, its type among them. */
  readonly event?: Readonly<Record<string, unknown>>
  /** What is changed about the request, which no signature covers. */
  readonly request?: (message: Signed) => Signed
  /** A genuine event of the same case comes first. */
  readonly known?: boolean
  /** Whether the genuine message has to be accepted under it. */
  readonly accepted: boolean
  /** A router may answer such a request by itself with 2xx, without a look at what it says. */
  readonly routed?: boolean
}

const withHeader =
  (name: string, value: string | readonly string[] | undefined) =>
  (message: Signed): Signed =>
    withHeaders(message, { [name]: value })

const twice =
  (name: string) =>
  (message: Signed): Signed => {
    const value = String(message.headers[name] ?? 'x')
    return withHeaders(message, { [name]: [value, value] })
  }

/** A second one that is empty, which a reader of the first or of the last takes for none. */
const emptySecond =
  (name: string) =>
  (message: Signed): Signed =>
    withHeaders(message, { [name]: [String(message.headers[name] ?? 'x'), ''] })

/** The names of all headers spelled in another way, which HTTP takes for the same (RFC 9110, 5.1). */
const respelled =
  (spell: (name: string) => string) =>
  (message: Signed): Signed => ({
    ...message,
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [spell(name), value]),
    ),
  })

const capitalized = (name: string): string =>
  name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

const mostAccepted = 64_000

const sizes = [9_000, 17_000, 33_000, 60_000, 66_000, 102_000, 132_000, 263_000, 525_000, 1_000_000]

const contentTypes = [
  ['application/json; charset=utf-8', true],
  ['application/json;charset=UTF-8', true],
  ['application/json; charset=utf-16', false],
  ['application/json; charset=iso-8859-1', false],
  ['application/cloudevents+json', false],
  ['application/x-www-form-urlencoded', false],
  ['multipart/form-data; boundary=x', false],
  ['application/octet-stream', false],
  ['application/xml', false],
  ['text/plain', false],
  ['text/html', false],
  [undefined, false],
] as const

/** Headers that a proxy, a tool or an attacker adds. */
const harmless: readonly (readonly [name: string, value: string])[] = [
  ['x-forwarded-for', '127.0.0.1'],
  ['x-real-ip', '10.0.0.1'],
  ['user-agent', 'kube-probe/1.30'],
  ['authorization', 'Bearer test'],
  ['cookie', 'session=test'],
  ['origin', 'http://localhost'],
  ['x-debug', '1'],
  ['x-test', 'true'],
  ['x-webhook-test', 'true'],
  ['webhook-key-version', '999'],
  ['content-encoding', 'identity'],
]

/** Types that come under every other circumstance. */
const plain = families.map((family) => typeOf(typesInTurn, family))

/** Every circumstance under which a receiver may skip its check. */
export const circumstances: readonly Circumstance[] = [
  { name: 'of a case that it knows', known: true, accepted: true },
  ...allTypes
    .filter((type) => !plain.includes(type))
    .map((type) => ({ name: `type ${type}`, event: { type }, accepted: true })),
  ...sizes.map((bytes) => ({
    name: `${bytes} bytes more`,
    event: { labels: 'x'.repeat(bytes) },
    accepted: bytes < mostAccepted,
  })),
  ...contentTypes.map(([value, accepted]) => ({
    name: `content-type ${value ?? 'missing'}`,
    request: withHeader('content-type', value),
    accepted,
  })),
  ...harmless.map(([name, value]) => ({
    name: `${name}: ${value}`,
    request: withHeader(name, value),
    accepted: true,
  })),
  ...[
    'x-forwarded-for',
    'content-type',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ].map((name) => ({ name: `${name} twice`, request: twice(name), accepted: false })),
  ...['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
    name: `${name} twice, the second empty`,
    request: emptySecond(name),
    accepted: false,
  })),
  ...[capitalized, (name: string) => name.toUpperCase()].map((spell) => ({
    name: `its headers spelled ${spell('webhook-id')}`,
    request: respelled(spell),
    accepted: true,
  })),
  {
    name: 'transfer-encoding: chunked',
    request: withHeader('transfer-encoding', 'chunked'),
    accepted: false,
  },
  {
    name: 'a chunked body with a trailer',
    request: (message: Signed) => ({
      ...withHeaders(message, { 'transfer-encoding': 'chunked', trailer: 'x-checked' }),
      trailers: { 'x-checked': 'true' },
    }),
    accepted: false,
  },
  {
    name: 'its signature in a trailer besides',
    request: (message: Signed) => ({
      ...withHeaders(message, { 'transfer-encoding': 'chunked', trailer: 'webhook-signature' }),
      trailers: { 'webhook-signature': 'v1,AAAA' },
    }),
    accepted: false,
  },
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-request-id'].map((folded) => ({
    name: `${folded} on two lines`,
    request: (message: Signed) => ({ ...message, folded }),
    accepted: false,
  })),
  ...['100-continue', 'verified'].map((value) => ({
    name: `expect: ${value}`,
    request: withHeader('expect', value),
    accepted: false,
  })),
  ...['GET', 'HEAD', 'OPTIONS'].map((method) => ({
    name: method,
    request: (message: Signed) => ({ ...message, method }),
    accepted: false,
    routed: true,
  })),
  {
    name: 'HTTP/1.0',
    request: (message: Signed) => ({ ...message, version: '1.0' as const }),
    accepted: false,
  },
  {
    name: 'a chunked body of 70,000 bytes more',
    event: { labels: 'x'.repeat(70_000) },
    request: withHeader('transfer-encoding', 'chunked'),
    accepted: false,
  },
  ...['gzip', 'deflate', 'br', 'x-none', 'aes128gcm'].map((coding) => ({
    name: `content-encoding: ${coding}`,
    request: withHeader('content-encoding', coding),
    accepted: false,
  })),
  ...['?test=1', '?debug=true', '?verify=false', '?webhook-signature=v1,AAAA'].map((search) => ({
    name: `the query ${search}`,
    request: (message: Signed) => ({ ...message, search }),
    accepted: false,
  })),
  ...['PUT', 'PATCH', 'DELETE'].map((method) => ({
    name: method,
    request: (message: Signed) => ({ ...message, method }),
    accepted: false,
  })),
]
