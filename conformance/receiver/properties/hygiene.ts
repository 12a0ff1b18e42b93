import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { bytesOf, reviewEvent, unixNow, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { fail, isSuccess, outcome } from '../session.ts'

const refusalStatus = property({
  name: 'hygiene.refusal-status',
  promise: 'what is refused for its signature or time is answered 4xx, never 410, 3xx or 5xx',
  advice:
    'Answer 401 (or 400). An uncaught exception of a verifier becomes a 500 that wakes your operators for every scanner; 410 tells a sender never to come back, and a clock that is wrong for a minute would be enough.',
  histories: fc.record({
    how: fc.constantFrom(
      'forged' as const,
      'stale' as const,
      'unsigned' as const,
      'garbled' as const,
    ),
    key: anyKey,
  }),
  async play(session, { how, key }) {
    const event = reviewEvent()
    const genuine = session.sign(event, { key })
    const message = {
      forged: () => session.sign(event, { keys: session.target.keys.strangers.slice(0, 1) }),
      stale: () => session.sign(event, { key, timestamp: String(unixNow() - 3600) }),
      unsigned: () => withHeaders(genuine, { 'webhook-signature': undefined }),
      garbled: () => withHeaders(genuine, { 'webhook-signature': ',,  ,%%' }),
    }[how]()
    await session.post({ ...message, label: `${message.label}, ${how}` }, ({ status }) =>
      status !== null && status >= 400 && status < 500 && status !== 410
        ? null
        : 'expected 4xx and not 410',
    )
    await session.accept(session.sign(reviewEvent(), { key }))
  },
})

const method = property({
  name: 'hygiene.method',
  promise: 'only POST delivers: no other method is taken for one, or makes an error',
  advice: 'Answer 405 (or 404) to every other method.',
  histories: fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    key: anyKey,
  }),
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
  promise:
    'application/json is taken with parameters too; another type makes no error of the server',
  advice:
    'Take the raw body whatever its Content-Type says, or refuse other types with 415; accept `application/json; charset=utf-8`.',
  histories: fc.record({
    type: fc.constantFrom(
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/octet-stream',
      'application/json; charset=no-such',
      '',
    ),
    key: anyKey,
  }),
  async play(session, { type, key }) {
    const must = /^application\/json(; charset=utf-8)?$/i.test(type)
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
  promise: 'a forged body of many megabytes is refused, and the receiver serves on',
  advice:
    'Bound the body (1 MiB is plenty) and answer 413; whoever finds the URL could else fill your memory.',
  alone: true,
  weight: { times: 5 },
  histories: fc.record({ megabytes: fc.integer({ min: 2, max: 24 }) }),
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
  promise: 'a signed event of 64 KiB is accepted',
  advice:
    'Raise the limit of the body parser: later versions add members, and 100 KB is a common default.',
  weight: { times: 5 },
  histories: fc.record({ bytes: fc.integer({ min: 20_000, max: 64_000 }), key: anyKey }),
  async play(session, { bytes, key }) {
    const event = reviewEvent({ labels: 'x'.repeat(bytes) })
    const message = session.sign(event, { key })
    await session.accept({ ...message, label: `${message.label}, ${message.body.length} bytes` })
  },
})

const slowBody = property({
  name: 'hygiene.slow-body',
  promise: 'bodies that come slowly hold up nobody else',
  advice:
    'Read bodies without blocking (no single worker that waits for one request), and cut a request that takes longer than 10 seconds.',
  alone: true,
  weight: { times: 5 },
  histories: fc.record({ slow: fc.integer({ min: 1, max: 20 }), split: fc.nat(300), key: anyKey }),
  async play(session, { slow, split, key }) {
    const { client } = session.target
    const message = session.sign(reviewEvent(), { key })
    const held = Array.from({ length: slow }, () => client.hold(message, split))
    session.tell(`${slow} connections send ${split} bytes of a body and pause`)
    try {
      for (let sent = 0; sent < 3; sent++)
        await session.accept(session.sign(reviewEvent(), { key }))
      const [first] = held
      const late = (await first?.finish()) ?? fail('no connection was opened')
      session.tell(`the rest of one body follows → ${outcome(late)}`)
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
  promise: 'on a kept connection each request gets its own answer, whatever came before it',
  advice:
    'Read a request to its end, or close the connection, before answering: what is left of one body would be taken for the next request.',
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
  method,
  contentType,
  oversized,
  large,
  slowBody,
  keepAlive,
]
