import { eachOnce } from '../expectations.ts'
import { bytesOf, reviewEvent, type Signed, unixNow, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { fail, isSuccess, type Session } from '../session.ts'
import { allTypes, eventOf } from '../types.ts'

/** A way in which a delivery may differ from the usual one, and that must change nothing about its signature. */
interface Circumstance {
  readonly name: string
  /** Members of the event, its type among them. */
  readonly event?: Readonly<Record<string, unknown>>
  /** What is changed about the request, which no signature covers. */
  readonly request?: (message: Signed) => Signed
  /** A genuine event of the same case comes first. */
  readonly known?: boolean
  /** Whether the genuine message has to be accepted under it. */
  readonly accepted: boolean
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

const circumstances: readonly Circumstance[] = [
  { name: 'of a case that it knows', known: true, accepted: true },
  ...allTypes.map((type) => ({ name: `type ${type}`, event: { type }, accepted: true })),
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
  ...['100-continue', 'verified'].map((value) => ({
    name: `expect: ${value}`,
    request: withHeader('expect', value),
    accepted: false,
  })),
  ...['GET', 'HEAD', 'OPTIONS'].map((method) => ({
    name: method,
    request: (message: Signed) => ({ ...message, method }),
    accepted: false,
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

/** Messages that are not genuine. */
const forgeries = {
  'signed with another key': (session: Session, event: ReturnType<typeof eventOf>) =>
    session.sign(event, { keys: session.target.keys.strangers.slice(0, 1) }),
  'changed after signing': (session: Session, event: ReturnType<typeof eventOf>) => {
    const message = session.sign(event)
    return {
      ...message,
      body: bytesOf(JSON.stringify({ ...session.message(event), tenantId: 'ten_forged' })),
    }
  },
  'an hour old': (session: Session, event: ReturnType<typeof eventOf>) =>
    session.sign(event, { timestamp: String(unixNow() - 3600) }),
} as const

export const circumstance: Property = property<Circumstance>({
  name: 'signature.circumstances',
  share: 8,
  promise:
    'signature and time are checked whatever the type, the size, the headers or the encoding of a message',
  advice:
    'Verify in one place that every request passes, before anything looks at type, size, headers or query: no branch for tests, health checks or challenges. What can’t be read whole is refused, never passed on.',
  each: circumstances,
  async play(session, { name, event: given = {}, request = (message) => message, ...more }) {
    const first = reviewEvent()
    const { reviewCaseId } = first
    if (more.known) {
      await session.accept(session.sign(first))
      // A receiver may know a case only once it has acted on an event of it, which is after its answer.
      if (session.target.has.has('effects'))
        await session.settle({ ids: [first.id] }, eachOnce([first.id]))
    }
    const members = more.known ? { reviewCaseId, caseVersion: 2, eventSequence: 2 } : given
    const make = () => eventOf(String(given.type ?? 'review.case.created'), members)
    for (const [kind, forge] of Object.entries(forgeries)) {
      const message = request(forge(session, make()))
      const label = `${message.label}, ${name}, ${kind}`
      await session.refuse({ ...message, label }, { cut: true })
    }
    if (!more.accepted) return
    const genuine = request(session.sign(make()))
    await session.accept({ ...genuine, label: `${genuine.label}, ${name}` })
  },
})

export const underLoad: Property = property({
  name: 'signature.under-load',
  everyFamily: true,
  share: 3,
  promise: 'a forged message is refused however many deliveries are under way beside it',
  advice:
    'Never pass a message on unverified because verifying is busy: under load answer 503, and the sender comes again.',
  alone: true,
  quickCases: 2,
  each: [8, 30, 100, 300].map((count) => ({ count })),
  async play(session, { count }) {
    const keys = session.target.keys.strangers.slice(0, 1)
    const messages = Array.from({ length: count }, (_, at) =>
      at % 4 === 3 ? session.sign(session.event(), { keys }) : session.sign(session.event()),
    )
    const forged = new Set(messages.filter((_, at) => at % 4 === 3))
    for (const { id } of forged) session.ban(id)
    session.tell(`${count} deliveries at once, every fourth of them forged`)
    await session.together(messages, async (message, { status }) => {
      if (status !== null && isSuccess(status) && forged.has(message))
        fail(`${message.label}, forged, among ${count} at once: expected a refusal, got ${status}`)
    })
    await session.accept(session.sign(session.event()))
  },
})
