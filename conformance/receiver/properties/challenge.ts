import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import type { Exchange } from '../client.ts'
import { challengeEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { allStored, fail, isSuccess } from '../session.ts'
import { eventOf } from '../types.ts'

/** Values that a receiver may cut, convert, escape or decode. */
const challengeTexts = [
  'conformance',
  'x'.repeat(65),
  'x'.repeat(129),
  'x'.repeat(257),
  'x'.repeat(600),
  'x'.repeat(2_100),
  '12345678',
  '0012',
  '1e5',
  '-0',
  '12345678901234567890',
  'true',
  'null',
  '{}',
  '[1]',
  '"quoted"',
  ' with spaces around ',
  'MixedCase',
  'a+b/c==',
  'a%20b%41',
  '&lt;b&gt; <b> & "\'',
  'back\\slash \\n \\u0041',
  'line\nfeed\ttab',
  'é ü ñ',
  'e\u0301',
  '日本語 😀',
  '\u2028',
  '__proto__',
] as const

const challengeText = fc.oneof(
  fc.base64String({ minLength: 16, maxLength: 64 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
)

function notTheChallenge(exchange: Exchange, challenge: string, deadlineMs: number): string | null {
  const { status, wholeMs, body } = exchange
  if (status === null || !isSuccess(status)) return 'expected 2xx'
  if (wholeMs > deadlineMs) return `expected the whole answer within ${deadlineMs} ms`
  const expected = `expected {"challenge":…} with the value that was sent`
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return `${expected}, as JSON`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return expected
  const members = Object.keys(value)
  if (members.length !== 1) return `expected one member, challenge, and no other (${members})`
  return Reflect.get(value, 'challenge') === challenge ? null : expected
}

const exact = property({
  name: 'challenge.exact',
  promise: 'a verification request is answered with exactly its challenge, in time',
  advice:
    'Answer subscription.verification_requested with 200 and the JSON object {"challenge": <the value>}, no other member, within 10 seconds. Without it the subscription stays unverified.',
  each: challengeTexts.map((challenge) => ({ challenge, extra: {}, key: 0 })),
  histories: fc.record({
    challenge: challengeText,
    extra: fc.dictionary(fc.constantFrom('note', 'reason', 'next', 'missedFrom'), fc.json(), {
      maxKeys: 2,
    }),
    key: anyKey,
  }),
  async play(session, { challenge, extra, key }) {
    const { deadlineMs } = session.target
    const message = session.sign(challengeEvent(challenge, extra), { key })
    const label = `${message.label}, challenge ${JSON.stringify(challenge)}`
    await session.post({ ...message, label }, (exchange) =>
      notTheChallenge(exchange, challenge, deadlineMs),
    )
  },
})

const forged = property({
  name: 'challenge.forged',
  promise: 'a verification request that is not signed properly is refused, and nothing is echoed',
  advice:
    'Verify the signature of subscription.* like any other. Whoever may have an endpoint echo a challenge can register it as theirs.',
  weight: { times: 8 },
  histories: fc.record({ challenge: fc.base64String({ minLength: 16, maxLength: 64 }) }),
  async play(session, { challenge }) {
    const keys = session.target.keys.strangers.slice(0, 1)
    const message = session.sign(challengeEvent(challenge), { keys })
    const { body } = await session.refuse({ ...message, label: `${message.label}, forged` })
    if (body.includes(challenge)) fail('the refusal echoes the challenge')
    await session.post(session.sign(challengeEvent(challenge)), (exchange) =>
      exchange.status !== null && isSuccess(exchange.status) ? null : 'expected 2xx',
    )
  },
})

const again = property({
  name: 'challenge.again',
  promise: 'a copy of a verification request is answered with its challenge again',
  advice:
    'Answer the challenge whether or not the id is known: the sender comes again because the first answer did not reach it, and 204 to the copy leaves the subscription unverified.',
  each: [{ copies: 2 }, { copies: 3 }],
  async play(session, { copies }) {
    const { deadlineMs } = session.target
    const value = `again-${copies}`
    const event = challengeEvent(value)
    for (let copy = 1; copy <= copies; copy++) {
      const message = session.sign(event)
      const label = `${message.label}, copy ${copy}, challenge ${JSON.stringify(value)}`
      await session.post({ ...message, label }, (exchange) =>
        notTheChallenge(exchange, value, deadlineMs),
      )
    }
  },
})

const asJson = property({
  name: 'challenge.as-json',
  level: 'hardening',
  promise: 'the challenge comes back as application/json, not as a page',
  advice:
    'Set `content-type: application/json` on the answer: text that somebody else chose must not be shown as HTML.',
  each: ['plain', '<b>page</b>'].map((value) => ({ value })),
  async play(session, { value }) {
    await session.post(session.sign(challengeEvent(value)), ({ status, contentType }) => {
      if (status === null || !isSuccess(status)) return 'expected 2xx'
      return /^application\/(\w+\+)?json\b/i.test(contentType)
        ? null
        : `expected content-type application/json, got ${contentType || 'none'}`
    })
  },
})

const others = property({
  name: 'challenge.other-events',
  promise: 'the other subscription events, whose challenge is null, are acknowledged',
  advice:
    'Only subscription.verification_requested asks for an answer in the body; take the others like any event.',
  each: [
    'subscription.disabled',
    'subscription.signing_key_rotating',
    'subscription.events_missed',
  ].map((type) => ({ type })),
  async play(session, { type }) {
    const event = eventOf(type)
    await session.accept(session.sign(event))
    if (session.target.has.has('stored'))
      await session.settle({ ids: [event.id] }, allStored([event.id]))
  },
})

export const challenge: readonly Property[] = [exact, again, others, asJson, forged]
