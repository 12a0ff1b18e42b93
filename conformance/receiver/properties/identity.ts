import { type Body, type Event, freshId, reviewEvent, unixNow, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { allStored, eachOnce, effectOf, fail, type Session } from '../session.ts'
import { allTypes, eventOf, families, familiesOf, typeOf } from '../types.ts'
import { settled } from './settled.ts'
import { oneIdentity } from './two-ids.ts'

/** Differences between two copies of one event that say nothing: every attempt is signed anew. */
const attempts = {
  'signed 200 s ago, then now': [-200, 0],
  'signed now, then 5 s later': [0, 5],
  'signed now, then 200 s later': [0, 200],
  'signed 250 s ahead, then 250 s ago': [250, -250],
} as const

const signedAnew = property({
  name: 'idempotency.signed-anew',
  everyFamily: 'each case',
  promise: 'a copy that is signed anew, at another time or with another key, is known as one',
  advice:
    'The id alone tells copies: not the signature, the timestamp, the hash of a request or any of its headers, which differ between attempts.',
  needs: ['stored', 'effects'],
  each: [
    ...Object.entries(attempts).map(([name, [first, second]]) => ({
      name,
      first: { at: first as number, key: 0, decoys: 0 },
      second: { at: second as number, key: 0, decoys: 0 },
    })),
    {
      name: 'signed with another key',
      first: { at: 0, key: 0, decoys: 0 },
      second: { at: 3, key: 1, decoys: 0 },
    },
    {
      name: 'with a second signature beside it',
      first: { at: 0, key: 0, decoys: 0 },
      second: { at: 3, key: 0, decoys: 1 },
    },
    {
      name: 'with a second signature on the first',
      first: { at: 0, key: 0, decoys: 1 },
      second: { at: 3, key: 0, decoys: 0 },
    },
  ],
  async play(session, { name, first, second }) {
    const event = session.event()
    for (const { at, key, decoys } of [first, second]) {
      const strangers = session.target.keys.strangers.slice(0, decoys)
      const keys = [session.key(key), ...strangers]
      const message = session.sign(event, { keys, timestamp: String(unixNow() + at) })
      await session.accept({ ...message, label: `${message.label}, a copy ${name}` })
    }
    await expectOnce(session, [event.id])
  },
})

const everyType = property({
  name: 'idempotency.every-type',
  share: 3.5,
  promise:
    'copies of any type of event, unknown ones too, are stored once and acted on at most once',
  advice:
    'De-duplicate before you look at the type, in the one statement that stores the id: types that you do not know come in copies too.',
  needs: ['stored', 'effects'],
  each: allTypes.flatMap((type) => [false, true].map((parallel) => ({ type, parallel }))),
  async play(session, { type, parallel }) {
    const event = eventOf(type)
    const send = () => {
      const message = session.sign(event)
      const label = `${message.label}, a copy${parallel ? ' of several at once' : ''}`
      return session.accept({ ...message, label })
    }
    if (parallel) await settled([send(), send(), send()])
    else for (let sent = 0; sent < 3; sent++) await send()
    const sentinel = reviewEvent()
    await session.accept(session.sign(sentinel))
    await session.settle({ ids: [sentinel.id] }, eachOnce([sentinel.id]))
    const seen = await session.settle({ ids: [event.id] }, allStored([event.id]))
    const count = effectOf(seen, event.id)
    if (count > 1) fail(`expected at most one effect of a ${type}, got ${count}`)
    if (seen.stored.filter(({ id }) => id === event.id).length > 1)
      fail(`expected a ${type} to be stored once, it is there more often`)
  },
})

/** Two ids that a careless comparison takes for one. */
const pairs: Readonly<Record<string, (id: string) => readonly [string, string]>> = {
  'that differ in their last character': (id) => [`${id.slice(0, -1)}0`, `${id.slice(0, -1)}1`],
  'that differ in their last but one character': (id) => [
    `${id.slice(0, -2)}0x`,
    `${id.slice(0, -2)}1x`,
  ],
  'that differ in the middle': (id) => [
    `${id.slice(0, 18)}a${id.slice(19)}`,
    `${id.slice(0, 18)}b${id.slice(19)}`,
  ],
  'that differ in the characters of the time': (id) => [
    `${id.slice(0, 5)}a${id.slice(6)}`,
    `${id.slice(0, 5)}b${id.slice(6)}`,
  ],
  'that differ in their prefix': (id) => [id, `msg_${id.slice(4)}`],
  'that differ in the case of one letter': (id) => [`${id.slice(0, -1)}a`, `${id.slice(0, -1)}A`],
  'that differ in the case of every letter': (id) => [`evt_${id.slice(4)}`, id.toUpperCase()],
  'of which one is the beginning of the other': (id) => [id, `${id}0`],
  'of digits, with and without a zero in front': (id) => {
    const digits = id.slice(4).replaceAll(/[a-z]/g, '7')
    return [`0${digits}`, digits]
  },
  'of digits beyond 2^53': (id) => {
    const digits = `9${id.slice(5).replaceAll(/[a-z]/g, '7').slice(0, -1)}`
    return [`${digits}0`, `${digits}1`]
  },
  'that differ in an underscore': (id) => [id, id.replace('_', '-')],
}

const alikeIds = property({
  name: 'idempotency.alike-ids',
  promise: 'ids that look alike are two events, and both have their effect',
  advice:
    'Keep and compare the whole id as bytes: a column that is wide enough, a binary or case-sensitive collation, no trimming, no number. What is taken for a copy is answered 2xx and lost for good.',
  needs: ['stored', 'effects'],
  share: 2,
  each: ({ types }) =>
    Object.keys(pairs).flatMap((name) => familiesOf(types).map((family) => ({ name, family }))),
  async play(session, { name, family }) {
    const type = typeOf(session.target.types, family)
    const [one, two] = (pairs[name] ?? fail(`no pair ${name}`))(freshId('evt'))
    for (const id of [one, two]) {
      const message = session.sign(eventOf(type, { id }))
      await session.accept({ ...message, label: `${message.label}, ids ${name}: ${id}` })
    }
    await session.settle({ ids: [one, two] }, session.eachOnce([one, two]))
  },
})

/** What the body may name beside the id that was signed. */
const otherIds: Readonly<Record<string, (id: string) => unknown>> = {
  'another id': () => freshId('evt'),
  'its id in capitals': (id) => id.toUpperCase(),
  'its id with a space': (id) => `${id} `,
  'a part of its id': (id) => id.slice(0, 20),
  'no id': () => undefined,
  'null for an id': () => null,
  'a number for an id': () => 7,
}

const signedId = property({
  name: 'idempotency.signed-id',
  everyFamily: 'each case',
  level: 'hardening',
  promise: 'the id of the header decides: bodies that name others under it have one effect at most',
  advice:
    'Take webhook-id for the key of a message, and refuse a body whose `id` differs with 400.',
  needs: ['stored', 'effects'],
  each: Object.keys(otherIds).map((name) => ({ name })),
  async play(session, { name }) {
    const id = freshId('evt')
    const make = otherIds[name] ?? fail(`no id ${name}`)
    const named = make(id)
    const ids = typeof named === 'string' ? [id, named] : [id]
    const event = session.event({ id })
    await session.accept(session.sign(event))
    const spell = (text: string) => JSON.stringify({ ...JSON.parse(text), id: named })
    const message = session.sign(event, { spell })
    const label = `${message.label}, the same id signed, ${name} in the body`
    session.target.tally.sentMalformed = true
    await session.post({ ...message, label }, ({ status }) =>
      status !== null && status < 500 ? null : 'expected 2xx or 4xx',
    )
    const sentinel = reviewEvent()
    await session.accept(session.sign(sentinel))
    await session.settle({ ids: [sentinel.id] }, eachOnce([sentinel.id]))
    const seen = await session.read({ ids: [...new Set(ids)] })
    const count = (seen.effects ?? []).reduce(
      (sum, one) => sum + (ids.includes(one.id) ? one.count : 0),
      0,
    )
    if (count > 1) fail(`expected at most one effect under ${id}, got ${count}`)
  },
})

const repeatedHeader = property({
  name: 'idempotency.other-headers',
  everyFamily: 'each case',
  promise: 'a copy that differs in headers which nobody signed is known as one',
  advice: 'Only webhook-id tells a copy; whatever a proxy adds or an attempt changes does not.',
  needs: ['stored', 'effects'],
  each: [
    { name: 'user-agent', value: 'another/2' },
    { name: 'x-request-id', value: 'another' },
    { name: 'webhook-key-version', value: '2' },
    { name: 'x-forwarded-for', value: '203.0.113.9' },
  ],
  async play(session, { name, value }) {
    const event = session.event()
    await session.accept(session.sign(event))
    const copy = withHeaders(session.sign(event), { [name]: value })
    await session.accept({ ...copy, label: `${copy.label}, a copy with another ${name}` })
    await expectOnce(session, [event.id])
  },
})

/** Two events of each family, for a property whose events are of all in turn. */
export const twoOfEach = (session: Session, change?: Body): readonly Event[] =>
  Array.from({ length: 2 * families.length }, () => session.event(change))

/** Once another event has had its effect, a second effect of these would mostly be there too. */
export async function expectOnce(session: Session, ids: readonly string[]): Promise<void> {
  const sentinel = reviewEvent()
  await session.accept(session.sign(sentinel))
  const all = [...ids, sentinel.id]
  await session.settle({ ids: all }, session.eachOnce(all))
}

export const identity: readonly Property[] = [
  signedAnew,
  repeatedHeader,
  everyType,
  alikeIds,
  signedId,
  oneIdentity,
]
