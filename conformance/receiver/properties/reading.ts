import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { bytesOf, freshId, reviewEvent, type Signed, unixNow, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { eachOnce, fail, isSuccess, type Session } from '../session.ts'

/** Bodies that trip whoever reads them. */
const bodies = {
  empty: () => bytesOf(''),
  'cut JSON': (id: string) => bytesOf(`{"id":"${id}","type":"review.case.cre`),
  'no JSON at all': () => bytesOf('<html>'),
  'invalid UTF-8': () => Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d),
  'a list': () => bytesOf('[]'),
  null: () => bytesOf('null'),
  'a number': () => bytesOf('12345678901234567890'),
  'a text': () => bytesOf('"evt_1"'),
  'two objects': (id: string) => bytesOf(`{"id":"${id}"}{}`),
  'deeply nested': () => bytesOf('['.repeat(20_000) + ']'.repeat(20_000)),
  'without a type': (id: string) => bytesOf(`{"id":"${id}"}`),
  'with a type that is no text': (id: string) => bytesOf(`{"id":"${id}","type":{"a":1}}`),
  'with places that are no numbers': (id: string) =>
    bytesOf(
      `{"id":"${id}","type":"review.case.created","reviewCaseId":7,"caseVersion":"x","eventSequence":null}`,
    ),
} as const
type BodyName = keyof typeof bodies
const bodyNames = Object.keys(bodies) as BodyName[]

/** Signed with a key that the receiver does not have. */
function forge(session: Session, id: string, body: Uint8Array, label: string): Signed {
  const keys = session.target.keys.strangers.slice(0, 1)
  const message = session.signBytes(id, body, label, { keys })
  return { ...message, label: `${label}, forged` }
}

const verifyFirst = property({
  name: 'reading.verify-first',
  level: 'hardening',
  promise: 'the answer to a forged message does not depend on what its body holds',
  advice:
    'Verify the signature over the raw bytes before anything parses them: no JSON middleware in front of the receiver. A parser that answers first shows its errors, and its faults, to whoever finds the URL.',
  each: bodyNames.map((body) => ({ body })),
  async play(session, { body }) {
    const plain = reviewEvent()
    const usual = await session.refuse(
      forge(session, plain.id, bytesOf(JSON.stringify(plain)), 'a well-formed body'),
    )
    const id = freshId('evt')
    const make = bodies[body] ?? fail(`no body ${body}`)
    const message = forge(session, id, make(id), `a body ${body}`)
    await session.refuse(message)
    const again = await session.post(message, ({ status }) =>
      status === usual.status ? null : `expected ${usual.status} as for a well-formed body`,
    )
    if (again.status === null) fail('expected an answer')
    await session.accept(session.sign(reviewEvent()))
  },
})

const forgeries = {
  'signed with another key': (session: Session) => {
    const event = reviewEvent()
    return forge(session, event.id, bytesOf(JSON.stringify(event)), event.type)
  },
  'changed after signing': (session: Session) => {
    const message = session.sign(reviewEvent({ decision: 'rejected' }))
    const text = Buffer.from(message.body).toString('utf8').replace('rejected', 'approved')
    return { ...message, body: bytesOf(text), label: 'a decision changed after signing' }
  },
  unsigned: (session: Session) =>
    withHeaders(session.sign(reviewEvent()), { 'webhook-signature': undefined }),
  'an hour old': (session: Session) =>
    session.sign(reviewEvent(), { timestamp: String(unixNow() - 3600) }),
  'of another type': (session: Session) => {
    const event = reviewEvent({ type: 'subscription.verification_requested', challenge: 'x' })
    return forge(session, event.id, bytesOf(JSON.stringify(event)), event.type)
  },
} as const

const noEffect = property({
  name: 'reading.no-effect',
  share: 1.5,
  promise: 'a forged or stale message is never stored and never has an effect',
  advice: 'Store and act only behind the check of signature and time.',
  needs: ['stored', 'effects'],
  each: (Object.keys(forgeries) as (keyof typeof forgeries)[]).map((kind) => ({
    kinds: [kind],
    key: 0,
  })),
  weight: { times: 10 },
  histories: fc.record({
    kinds: fc.array(fc.constantFrom(...(Object.keys(forgeries) as (keyof typeof forgeries)[])), {
      minLength: 1,
      maxLength: 4,
    }),
    key: anyKey,
  }),
  async play(session, { kinds, key }) {
    const sentinel = reviewEvent()
    for (const kind of kinds) {
      const make = forgeries[kind] ?? fail(`no forgery ${kind}`)
      const message = make(session)
      await session.refuse({ ...message, label: `${message.label} (${kind})` })
    }
    await session.accept(session.sign(sentinel, { key }))
    // When a later event has had its effect, an effect of an earlier one would mostly be there too.
    await session.settle({ ids: [sentinel.id] }, eachOnce([sentinel.id]))
    await session.expectNoTrace()
  },
})

const malformedSigned = property({
  name: 'reading.malformed-signed',
  share: 1.5,
  level: 'hardening',
  promise:
    'a body that is no event is not answered 5xx when its signature is good, and has no effect without an id',
  advice:
    'Catch what reading the body throws. Keep such a message aside and answer 2xx, or refuse it with 400: a 5xx is retried for three days and turns the subscription off.',
  each: ({ keys }) => bodyNames.flatMap((body) => keys.standard.map((_, key) => ({ body, key }))),
  async play(session, { body, key }) {
    const id = freshId('evt')
    const make = bodies[body] ?? fail(`no body ${body}`)
    const message = session.signBytes(id, make(id), `a body ${body}, signed`, { key })
    await session.post(message, ({ status }) => {
      if (status === null) return 'expected an answer'
      return isSuccess(status) || (status >= 400 && status < 500) ? null : 'expected 2xx or 4xx'
    })
    await session.accept(session.sign(reviewEvent(), { key }))
  },
})

export const reading: readonly Property[] = [verifyFirst, noEffect, malformedSigned]
