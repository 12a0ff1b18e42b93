import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { isHeldUp } from '../lag.ts'
import { bytesOf, reviewEvent, type Signed, unixNow, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { fail, isSuccess, keptAsSent, OutOfTime, outcome, type Session } from '../session.ts'

const refusedKinds = [
  'forged',
  'an hour old',
  'an hour ahead',
  'unsigned',
  'without an id',
  'without a time',
  'with a garbled signature',
  'with a signature of no base64',
  'with a signature of three bytes',
  'with a garbled time',
] as const

const refusalStatus = property({
  name: 'hygiene.refusal-status',
  level: 'hardening',
  promise: 'what is refused for its signature or time is answered 4xx, never 3xx or 5xx',
  advice:
    'Catch what the verifier throws and answer 401 (or 400). An exception that nobody catches becomes a 500 that wakes your operators for every scanner.',
  each: refusedKinds.map((how) => ({ how })),
  async play(session, { how }) {
    const message = refusable(session, how)
    await session.post({ ...message, label: `${message.label}, ${how}` }, ({ status }) =>
      status !== null && status >= 400 && status < 500 ? null : 'expected 4xx',
    )
    await session.accept(session.sign(reviewEvent()))
  },
})

const neverGone = property({
  name: 'hygiene.never-gone',
  promise: 'nothing is ever answered 410, which ends the deliveries to an address for good',
  advice:
    'Answer 401 (or 400) to what you refuse. 410 tells the sender never to come back, and a clock that is wrong for a minute would be enough.',
  each: refusedKinds.map((how) => ({ how })),
  async play(session, { how }) {
    const message = refusable(session, how)
    await session.post({ ...message, label: `${message.label}, ${how}` }, ({ status }) =>
      status === 410 ? 'expected anything but 410' : null,
    )
    await session.accept(session.sign(reviewEvent()))
  },
})

const refusals = {
  forged: (session: Session) =>
    session.sign(reviewEvent(), { keys: session.target.keys.strangers.slice(0, 1) }),
  'an hour old': (session: Session) =>
    session.sign(reviewEvent(), { timestamp: String(unixNow() - 3600) }),
  'an hour ahead': (session: Session) =>
    session.sign(reviewEvent(), { timestamp: String(unixNow() + 3600) }),
  unsigned: (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-signature': undefined }),
  'without an id': (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-id': undefined }),
  'without a time': (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-timestamp': undefined }),
  'with a garbled signature': (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-signature': ',,  ,%%' }),
  'with a signature of no base64': (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-signature': 'v1,???? v1a,????' }),
  'with a signature of three bytes': (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-signature': 'v1,AAAA v1a,AAAA' }),
  'with a garbled time': (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-timestamp': 'soon' }),
} as const

function refusable(session: Session, how: keyof typeof refusals): Signed {
  return refusals[how](session)
}

const method = property({
  name: 'hygiene.method',
  level: 'hardening',
  promise: 'only POST delivers: no other method is taken for one, or makes an error',
  advice: 'Answer 405 (or 404) to every other method.',
  each: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => ({ method, key: 0 })),
  async play(session, { method, key }) {
    const harmless = ['GET', 'HEAD', 'OPTIONS'].includes(method)
    const message = session.sign(reviewEvent(), { key })
    await session.post({ ...message, method }, ({ status }) => {
      if (status === null) return 'expected an answer'
      if (status >= 500 && status !== 501) return 'expected no error of the server'
      return isSuccess(status) && !harmless ? 'expected a refusal' : null
    })
    session.ban(message.id)
    await session.accept(session.sign(reviewEvent(), { key }))
  },
})

const contentType = property({
  name: 'hygiene.content-type',
  level: 'hardening',
  promise:
    'application/json is taken with parameters too; another type makes no error of the server',
  advice:
    'Take the raw body whatever its Content-Type says, or refuse other types with 415; accept `application/json; charset=utf-8`.',
  each: [
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset=no-such',
    'application/json; charset=utf-16',
    'application/cloudevents+json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'no type at all',
    '',
  ].map((type) => ({ type, key: 0 })),
  async play(session, { type, key }) {
    const must = /^application\/json(; ?charset=utf-8)?$/i.test(type)
    const message = withHeaders(session.sign(reviewEvent(), { key }), {
      'content-type': type === '' ? undefined : type,
    })
    const told = { ...message, label: `${message.label}, content-type ${type || 'missing'}` }
    if (must) await session.accept(told)
    else
      await session.post(told, ({ status }) =>
        status !== null && status < 500 ? null : 'expected 2xx or 4xx',
      )
    await session.accept(session.sign(reviewEvent(), { key }))
  },
})

const oversized = property({
  name: 'hygiene.oversized',
  share: 1,
  level: 'hardening',
  promise: 'a forged body of many megabytes is refused, and the receiver serves on',
  advice:
    'Bound the body (1 MiB is plenty) and answer 413; whoever finds the URL could else fill your memory.',
  alone: true,
  each: [{ megabytes: 2 }, { megabytes: 8 }, { megabytes: 24 }],
  async play(session, { megabytes }) {
    const keys = session.target.keys.strangers.slice(0, 1)
    const event = reviewEvent()
    const body = Buffer.alloc(megabytes * 1_048_576, ' ')
    body.write(JSON.stringify(event))
    const small = session.sign(event, { keys })
    await session.refuse({ ...small, body, label: `${megabytes} MiB, forged` }, { cut: true })
    await session.accept(session.sign(reviewEvent()))
  },
})

const large = property({
  name: 'hygiene.large',
  promise: 'a signed event of 64 KiB is accepted, and stored',
  advice:
    'Raise the limit of the body parser: later versions add members, and 100 KB is a common default.',
  each: [2_000, 5_000, 9_000, 17_000, 33_000, 50_000, 64_000].map((bytes) => ({ bytes, key: 0 })),
  async play(session, { bytes, key }) {
    const event = reviewEvent({ labels: 'x'.repeat(bytes) })
    const message = session.sign(event, { key })
    await session.accept({ ...message, label: `${message.label}, ${message.body.length} bytes` })
    if (session.target.has.has('stored'))
      await session.settle({ ids: [event.id] }, keptAsSent(message))
  },
})

const slowBody = property({
  name: 'hygiene.slow-body',
  level: 'hardening',
  promise: 'bodies that come slowly hold up nobody else',
  advice:
    'Read bodies without blocking (no single worker that waits for one request), and cut a request that takes longer than 10 seconds.',
  alone: true,
  weight: { times: 5 },
  histories: fc.record({ slow: fc.integer({ min: 1, max: 20 }), split: fc.nat(300), key: anyKey }),
  async play(session, { slow, split, key }) {
    const { client, deadlineMs } = session.target
    const message = session.sign(reviewEvent(), { key })
    const held = Array.from({ length: slow }, () => client.hold(message, split))
    session.tell(`${slow} connections send ${split} bytes of a body and pause`)
    try {
      for (let sent = 0; sent < 3; sent++)
        await session.accept(session.sign(reviewEvent(), { key }))
      const [first] = held
      const late = (await first?.finish()) ?? fail('no connection was opened')
      session.tell(`the rest of one body follows → ${outcome(late)}`)
      if (isHeldUp(late, deadlineMs)) throw new OutOfTime()
      if (late.status === null || !isSuccess(late.status))
        fail(`a body that came in two pieces: expected 2xx, got ${outcome(late)}`)
    } finally {
      for (const one of held) one.abandon()
    }
  },
})

const kinds = ['genuine', 'forged', 'large and forged', 'cut JSON, forged'] as const

const keepAlive = property({
  name: 'hygiene.keep-alive',
  share: 2,
  promise: 'on a kept connection each request gets its own answer, whatever came before it',
  advice:
    'Read a request to its end, or close the connection, before answering: what is left of one body would be taken for the next request.',
  // What a genuine request leaves to each of the others, and each of them to a genuine one.
  each: kinds.slice(1).map((kind) => ({ kinds: ['genuine', kind], key: 0 })),
  histories: fc.record({
    kinds: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 5 }),
    key: anyKey,
  }),
  async play(session, { kinds, key }) {
    const one = session.target.client.single()
    try {
      const keys = session.target.keys.strangers.slice(0, 1)
      for (const kind of [...kinds, 'genuine' as const]) {
        const event = reviewEvent(kind === 'large and forged' ? { labels: 'x'.repeat(40_000) } : {})
        const genuine = kind === 'genuine'
        const message = session.sign(event, genuine ? { key } : { keys })
        const body = kind === 'cut JSON, forged' ? bytesOf('{"id":') : message.body
        const label = `${message.label}, ${kind}, on the same connection`
        await session.post(
          { ...message, body, label },
          ({ status }) => {
            if (status === null) return 'expected an answer'
            if (isSuccess(status) === genuine) return null
            return genuine ? 'expected 2xx' : 'expected a refusal'
          },
          one,
        )
      }
    } finally {
      one.close()
    }
  },
})

export const hygiene: readonly Property[] = [
  refusalStatus,
  neverGone,
  method,
  contentType,
  oversized,
  large,
  slowBody,
  keepAlive,
]
