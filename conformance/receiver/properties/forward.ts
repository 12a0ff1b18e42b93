import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { type Body, bytesOf, reviewEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { allStored, eachOnce, fail, isSuccess, keptAsSent } from '../session.ts'
import { unknownTypes } from '../types.ts'

const known = [
  ...unknownTypes.map((type) => ({ what: `the unknown type ${type}`, change: { type } })),
  ...['escalated', 'delegated', 'other'].map((reasonCategory) => ({
    what: `the reason ${reasonCategory}`,
    change: { reasonCategory },
  })),
  ...['deferred', 'partially_approved'].map((decision) => ({
    what: `the decision ${decision}`,
    change: { decision },
  })),
  { what: 'an unknown tier', change: { reviewTier: 'critical' } },
  { what: 'schemaVersion 2', change: { schemaVersion: 2 } },
  { what: 'schemaVersion 10', change: { schemaVersion: 10 } },
  { what: 'null for a digest', change: { presentationDigest: null } },
  { what: 'an unknown member', change: { region: 'eu' } },
  { what: 'an unknown object', change: { links: { self: 'https://example.org/' } } },
  { what: 'an unknown list', change: { labels: ['a', 'b'] } },
  { what: 'an unknown number', change: { weight: 0.5 } },
  { what: 'an unknown true', change: { urgent: true } },
  { what: 'an unknown null', change: { region: null } },
  { what: 'a member of another case', change: { tenantid: 'x' } },
  { what: 'forty unknown members', change: fortyMembers() },
]

function fortyMembers(): Body {
  return Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`member${at}`, at]))
}

const novelty = fc.oneof(
  fc.record({
    what: fc.constant('unknown members'),
    change: fc.dictionary(
      fc.constantFrom('region', 'assignee', 'labels', 'links', 'constructor_', 'x-next'),
      fc.jsonValue({ maxDepth: 2 }),
      { minKeys: 1, maxKeys: 3 },
    ),
  }),
  fc.record({
    what: fc.constant('an unknown type'),
    change: fc.record({
      type: fc.constantFrom(
        'review.case.paused',
        'review.policy.changed',
        'subscription.resumed',
        'billing.paid',
      ),
    }),
  }),
  fc.record({
    what: fc.constant('an unknown reason'),
    change: fc.record({ reasonCategory: fc.constantFrom('escalated', 'delegated') }),
  }),
  fc.record({
    what: fc.constant('an unknown decision'),
    change: fc.record({ decision: fc.constantFrom('deferred', 'partially_approved') }),
  }),
  fc.record({
    what: fc.constant('an unknown tier'),
    change: fc.record({ reviewTier: fc.constant('critical') }),
  }),
  fc.record({
    what: fc.constant('schemaVersion 2'),
    change: fc.record({ schemaVersion: fc.constant(2) }),
  }),
  fc.record({
    what: fc.constant('null where a value may be'),
    change: fc.record({ decision: fc.constant(null), presentationDigest: fc.constant(null) }),
  }),
)

const accepts = property({
  name: 'forward.accepts',
  promise: 'what a later version of the service may send is stored and answered 2xx',
  advice:
    'Ignore members that you do not know, store types that you do not know, treat an unknown reason as `other`. A strict schema turns the sender’s next release into your outage.',
  each: known.map((one) => ({ novelty: one as { what: string; change: Body }, key: 0 })),
  histories: fc.record({
    novelty: novelty as fc.Arbitrary<{ what: string; change: Body }>,
    key: anyKey,
  }),
  async play(session, { novelty: { what, change }, key }) {
    const event = reviewEvent(change)
    const message = session.sign(event, { key })
    await session.accept({ ...message, label: `${message.label}, ${what}` })
    if (session.target.has.has('stored'))
      await session.settle({ ids: [event.id] }, allStored([event.id]))
  },
})

/** Members whose text trips databases and loggers. */
const texts: Readonly<Record<string, string>> = {
  'accents and umlauts': 'é ü ñ ß',
  'Japanese and Arabic': '日本語 العربية',
  'an emoji of four bytes': '😀👩‍⚖️',
  'a combining accent': 'e\u0301',
  'quotes and backslashes': `it's "quoted" \\ \\n`,
  'control characters': 'tab\tline\nfeed\r',
  'line separators': '\u2028\u2029',
  markup: '<script>alert(1)</script> &amp;',
  'SQL and templates': `'; DROP TABLE x; -- %s {{x}} $1`,
  'a thousand words': 'word '.repeat(1_000),
}

const text = property({
  name: 'forward.text',
  promise: 'any text in a member is stored and answered 2xx',
  advice:
    'Keep the raw bytes of the body, in a column of bytes; or use a character set that holds all of Unicode (MySQL: utf8mb4).',
  each: Object.keys(texts).map((name) => ({ name })),
  async play(session, { name }) {
    const event = reviewEvent({ note: texts[name] })
    const message = session.sign(event)
    await session.accept({ ...message, label: `${message.label}, ${name}` })
    if (session.target.has.has('stored'))
      await session.settle({ ids: [event.id] }, keptAsSent(message))
    if (session.target.has.has('effects'))
      await session.settle({ ids: [event.id] }, eachOnce([event.id]))
  },
})

/** Bodies of events that JSON allows and few databases expect. */
const hostile: Readonly<Record<string, (json: string) => string>> = {
  'a NUL in a member': (json) => json.replace('{', '{"note":"a\\u0000b",'),
  'half a surrogate pair': (json) => json.replace('{', '{"note":"\\ud800",'),
  'a member twice': (json) => json.replace('{', '{"reviewTier":"high",'),
  'a member __proto__': (json) => json.replace('{', '{"__proto__":{"id":"x"},'),
  'a member constructor': (json) => json.replace('{', '{"constructor":{"prototype":{}},'),
  'an integer beyond 2^64': (json) => json.replace('{', `{"note":${'9'.repeat(40)},`),
  'a number beyond a double': (json) => json.replace('{', '{"note":1e999,'),
  'a hundred levels': (json) => json.replace('{', `{"note":${'['.repeat(100)}${']'.repeat(100)},`),
  'a byte order mark': (json) => `\uFEFF${json}`,
  'white space around it': (json) => `  \n${json}\n\n`,
}

const hostileText = property({
  name: 'forward.hostile-text',
  level: 'hardening',
  promise: 'an event with odd but signed JSON makes no 5xx, and is stored when it is answered 2xx',
  advice:
    'Keep the body as bytes, and catch what reading it throws: refuse it with 400, or keep it aside. PostgreSQL takes no NUL in text and jsonb; a 5xx is retried for three days.',
  each: Object.keys(hostile).map((name) => ({ name })),
  async play(session, { name }) {
    const event = reviewEvent()
    const make = hostile[name] ?? fail(`no body ${name}`)
    const body = bytesOf(make(JSON.stringify(event)))
    const message = session.signBytes(event.id, body, `${event.type} with ${name}`)
    session.target.tally.sentMalformed = true
    const { status } = await session.post(message, (exchange) =>
      exchange.status !== null && exchange.status < 500 ? null : 'expected 2xx or 4xx',
    )
    if (status !== null && isSuccess(status) && session.target.has.has('stored'))
      await session.settle({ ids: [event.id] }, allStored([event.id]))
    await session.accept(session.sign(reviewEvent()))
  },
})

export const forward: readonly Property[] = [accepts, text, hostileText]
