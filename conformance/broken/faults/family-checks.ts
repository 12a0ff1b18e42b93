import { type Family, familyOf } from '../../receiver/types.ts'
import { commit, turn } from '../disk.ts'
import { type Inbound, type Message, type Steps, soundSteps } from '../steps.ts'
import { macMatches, orElse, timeless, withJoined } from './fault.ts'
import { trusting } from './identity.ts'

const { admit, authenticate, before, parse, store } = soundSteps

const isOf = (family: Family, { body }: Inbound): boolean => {
  const message = parse(body)
  return message !== null && familyOf(message.type) === family
}

/** Verifies events of the family as another check does. */
const verifying =
  (check: Steps['authenticate']) =>
  (family: Family): Partial<Steps> => ({
    authenticate: (inbound, around) =>
      (isOf(family, inbound) ? check : authenticate)(inbound, around),
  })

const signatureOf = ({ joined }: Inbound): string => joined['webhook-signature'] ?? ''

/** The sound check, of headers that were changed on their way to it. */
const reading =
  (see: (signature: string) => string): Steps['authenticate'] =>
  (inbound, around) =>
    authenticate(
      { ...inbound, ...withJoined(inbound, { 'webhook-signature': see(signatureOf(inbound)) }) },
      around,
    )

/** The sound check, of a body that was changed first. */
const respelling =
  (spell: (text: string) => string): Steps['authenticate'] =>
  (inbound, around) =>
    authenticate(
      { ...inbound, body: Buffer.from(spell(Buffer.from(inbound.body).toString('utf8'))) },
      around,
    )

/** Takes copies of events of the family for new ones where the key, made of the message, differs. */
const knowingBy =
  (keyOf: (message: Message, inbound: Inbound) => string) =>
  (family: Family): Partial<Steps> => {
    const keys = new Set<string>()
    const keyOfId = new Map<string, string>()
    return {
      idOf(message, inbound) {
        keyOfId.set(message.id, keyOf(message, inbound))
        return message.id
      },
      async store(id, body, around) {
        const isNew = await store(id, body, around)
        const { type = '' } = parse(body) ?? {}
        const key = `${id} ${keyOfId.get(id)}`
        const isUnseen = !keys.has(key)
        keys.add(key)
        return familyOf(type) === family ? isUnseen : isNew
      },
      newer: trusting,
    }
  }

/** Knows ids of the family for so long by its clock. */
const knowingFor =
  (ms: number) =>
  (family: Family): Partial<Steps> => {
    const until = new Map<string, number>()
    return {
      store: (id, body, around) =>
        commit(around, () => {
          const { events } = around.disk
          const { type = '' } = parse(body) ?? {}
          const isOwn = familyOf(type) === family
          const isKnown = isOwn ? (until.get(id) ?? 0) > around.now() : events.has(id)
          if (!isKnown) until.set(id, around.now() + ms)
          if (!isKnown || isOwn) events.set(id, body)
          return !isKnown
        }),
      newer: trusting,
    }
  }

/** Knows the ids of the family that came last. */
const knowingLast =
  (most: number) =>
  (family: Family): Partial<Steps> => {
    const ids = new Set<string>()
    return {
      async store(id, body, around) {
        const isNew = await store(id, body, around)
        const { type = '' } = parse(body) ?? {}
        if (familyOf(type) !== family) return isNew
        const isKnown = ids.delete(id)
        ids.add(id)
        for (const oldest of ids) if (ids.size > most) ids.delete(oldest)
        return !isKnown
      },
      newer: trusting,
    }
  }

const unsignedHeaders = ['user-agent', 'x-request-id', 'webhook-key-version', 'x-forwarded-for']

/** What a receiver may do worse for one family: the property that sees it, a name behind which the family stands, the steps. */
export const familyChecks: readonly (readonly [
  killedBy: string,
  name: string,
  change: (family: Family) => Partial<Steps>,
])[] = [
  [
    'signature.confusion',
    'takes any scheme that it does not know for',
    verifying(orElse((inbound) => !/(^|[ ,])v1a?,/.test(signatureOf(inbound)))),
  ],
  [
    'signature.circumstances',
    'verifies nothing of requests with a query for',
    verifying(orElse(({ search }) => search !== '')),
  ],
  [
    'signature.wrong-key',
    'takes any well-formed signature of',
    verifying(orElse((inbound) => /^v1a?,[A-Za-z0-9+/]{43,}=/.test(signatureOf(inbound)))),
  ],
  [
    'signature.missing',
    'needs no signature of',
    verifying(
      orElse(
        (inbound) =>
          signatureOf(inbound) === '' && inbound.joined['x-service-signature'] === undefined,
      ),
    ),
  ],
  [
    'signature.malformed',
    'compares over the shorter length for',
    verifying(
      orElse((inbound, around) =>
        macMatches(inbound, around, (given, expected) => `v1,${expected}`.startsWith(given)),
      ),
    ),
  ],
  [
    'signature.repeated-header',
    'takes the last of repeated signatures of',
    verifying(
      orElse((inbound, around) => {
        const entries = signatureOf(inbound).split(', ')
        return entries.length > 1 && reading(() => entries.at(-1) ?? '')(inbound, around).ok
      }),
    ),
  ],
  [
    'signature.bounded',
    'verifies lists of any length of',
    (family) => ({
      maxHeaderSize: 262_144,
      ...verifying(
        orElse((inbound, around) =>
          macMatches(inbound, around, (given, expected) => given === `v1,${expected}`),
        ),
      )(family),
    }),
  ],
  [
    'signature.one-of-many',
    'looks at the first signature alone of',
    verifying(reading((signature) => signature.split(' ')[0] ?? '')),
  ],
  [
    'signature.raw-bytes',
    'trims before it verifies',
    (family) =>
      verifying(orElse((inbound, around) => respelling((text) => text.trim())(inbound, around).ok))(
        family,
      ),
  ],
  [
    'signature.exact-bytes',
    'serializes anew before it verifies',
    verifying(respelling((text) => JSON.stringify(JSON.parse(text)))),
  ],
  [
    'signature.under-load',
    'verifies nothing beyond 5 requests at once of',
    verifying(orElse((_, { inFlight }) => inFlight() > 5)),
  ],
  ['timestamp.window', 'knows no time of', verifying(timeless(() => true))],
  [
    'timestamp.exact',
    'allows a second more to',
    verifying(timeless((age) => Math.abs(age) === 301)),
  ],
  [
    'acknowledgement.burst',
    'works 700 ms, one by one, before it answers',
    (family) => {
      let last = Promise.resolve()
      return {
        before(inbound, around) {
          if (!isOf(family, inbound)) return before(inbound, around)
          last = last.then(() => turn(700))
          return last.then(() => before(inbound, around))
        },
      }
    },
  ],
  [
    'acknowledgement.any-size',
    'drops beyond 8 KiB',
    (family) => ({
      store: async (id, body, around) =>
        (body.length <= 8_192 || familyOf(parse(body)?.type ?? '') !== family) &&
        (await store(id, body, around)),
    }),
  ],
  [
    'idempotency.signed-anew',
    'knows by id and timestamp copies of',
    knowingBy((_, { joined }) => joined['webhook-timestamp'] ?? ''),
  ],
  [
    'idempotency.other-headers',
    'knows by id and unsigned headers copies of',
    knowingBy((_, { joined }) => unsignedHeaders.map((name) => joined[name] ?? '').join()),
  ],
  [
    'idempotency.other-body',
    'knows by their bytes copies of',
    knowingBy((_, { body }) => Buffer.from(body).toString('base64')),
  ],
  [
    'idempotency.signed-id',
    'takes from the body the ids of',
    (family) => ({
      admit: (message, proof, around) =>
        proof.ok && familyOf(message.type) === family ? null : admit(message, proof, around),
      newer: trusting,
    }),
  ],
  ['idempotency.later', 'knows for a second ids of', knowingFor(1_000)],
  ['idempotency.after-days', 'knows for an hour ids of', knowingFor(3_600_000)],
  ['idempotency.after-thousand', 'knows the last 200 ids of', knowingLast(200)],
]
