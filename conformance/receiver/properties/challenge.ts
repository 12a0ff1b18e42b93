import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import type { Exchange } from '../client.ts'
import { challengeEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { fail, isSuccess } from '../session.ts'

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

export const challenge: readonly Property[] = [exact, forged]
