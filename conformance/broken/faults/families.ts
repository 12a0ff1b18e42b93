import { type Family, familyOf } from '../../receiver/types.ts'
import { type Disk, turn } from '../disk.ts'
import { type Message, type Steps, type Surroundings, soundSteps } from '../steps.ts'
import { familyChecks } from './family-checks.ts'
import { type BrokenReceiver, faultsOf, macMatches, orElse } from './fault.ts'
import { trusting } from './identity.ts'
import { late } from './load.ts'

const fault = faultsOf('families')
const { authenticate, parse, store } = soundSteps

/** Families that a receiver may treat worse than the others, by what they are called in a fault's name. */
const each: readonly (readonly [Family, string])[] = [
  ['review', 'events of review cases'],
  ['subscription', 'events of its subscription'],
  ['verification', 'verification requests'],
  ['to come', 'types to come'],
]

const isOf = (family: Family, body: Uint8Array): boolean => {
  const message = parse(body)
  return message !== null && familyOf(message.type) === family
}

/** Stores events of the family in another way. */
const storing = (family: Family, instead: Steps['store']): Partial<Steps> => ({
  store: (id, body, around) => (isOf(family, body) ? instead : store)(id, body, around),
  newer: trusting,
})

/** What it buffered, a kill takes with it. */
function buffering(family: Family): Partial<Steps> {
  const buffered = new Map<string, Disk>()
  return {
    ...storing(family, async (id, body, around) => {
      const isNew = await store(id, body, around)
      buffered.set(id, around.disk)
      return isNew
    }),
    resume(ids) {
      for (const [id, { events }] of buffered) events.delete(id)
      const left = ids.filter((id) => !buffered.has(id))
      buffered.clear()
      return left
    },
  }
}

/** Takes up again what was left, but for this family. */
function passingOver(family: Family): Partial<Steps> {
  const passed = new Set<string>()
  return {
    ...storing(family, (id, body, around) => {
      passed.add(id)
      return store(id, body, around)
    }),
    resume: (ids) => ids.filter((id) => !passed.has(id)),
  }
}

/** Knows those ids that `remembered` says it has, whatever is stored. */
const knowing = (family: Family, remembered: (id: string, around: Surroundings) => boolean) =>
  storing(family, async (id, body, around) => {
    const known = remembered(id, around)
    await store(id, body, around)
    return !known
  })

/** The last ids in the order in which they came. */
function lastIds(most: number): (id: string) => boolean {
  const ids = new Set<string>()
  return (id) => {
    const known = ids.delete(id)
    ids.add(id)
    for (const oldest of ids) if (ids.size > most) ids.delete(oldest)
    return known
  }
}

/** Verifies events of the family as another check does. */
const verifying =
  (family: Family, check: Steps['authenticate']): Steps['authenticate'] =>
  (inbound, around) =>
    isOf(family, inbound.body) ? check(inbound, around) : authenticate(inbound, around)

/** The sound check, and one that looks at half of the MAC. */
const halfCompared = orElse((inbound, around) =>
  macMatches(
    inbound,
    around,
    (given, expected) => given.startsWith('v1,') && given.slice(3, 25) === expected.slice(0, 22),
  ),
)

const nameOf = (message: Message): Family => familyOf(message.type)

const faultsOfFamily = ([family, called]: readonly [Family, string]): readonly BrokenReceiver[] => [
  fault(`acknowledges ${called} before it stores them`, 'acknowledgement.stored-first', () =>
    storing(family, late),
  ),
  fault(`drops ${called} beyond 12 requests at once`, 'acknowledgement.under-load', () =>
    storing(family, async (id, body, around) =>
      around.inFlight() > 12 ? false : store(id, body, around),
    ),
  ),
  fault(`buffers ${called} in memory`, 'acknowledgement.survives-kill', () => buffering(family)),
  fault(`takes up no ${called} after a kill`, 'acknowledgement.resumes', () => passingOver(family)),
  fault(`acknowledges ${called} that it could not store`, 'acknowledgement.store-failure', () =>
    storing(family, (id, body, around) => store(id, body, around).catch(() => false)),
  ),
  fault(`acts on every copy of ${called}`, 'idempotency.one-effect', () =>
    storing(family, async (id, body, around) => {
      await store(id, body, around)
      return true
    }),
  ),
  ...familyChecks.map(([killedBy, name, change]) =>
    fault(`${name} ${called}`, killedBy, () => change(family)),
  ),
  fault(`knows the last 20 ids of ${called}`, 'idempotency.after-many', () =>
    knowing(family, lastIds(20)),
  ),
  fault(`knows ids of ${called} until it is restarted`, 'idempotency.restart', () =>
    knowing(family, (id, { memory }) => memory.has(id) || memory.add(id) === null),
  ),
  fault(`compares ids of ${called} without case`, 'idempotency.alike-ids', () => {
    const known = new Set<string>()
    return storing(family, async (id, body, around) => {
      const isNew = await store(id, body, around)
      const isKnown = known.has(id.toLowerCase())
      known.add(id.toLowerCase())
      return isNew && !isKnown
    })
  }),
  fault(`compares half of the MAC of ${called}`, 'signature.altered', () => ({
    authenticate: verifying(family, halfCompared),
  })),
  fault(`refuses copies of ${called}`, 'idempotency.acknowledged', () => ({
    answer: (message, isNew, around) =>
      isNew || nameOf(message) !== family
        ? soundSteps.answer(message, isNew, around)
        : { status: 409 },
  })),
  fault(`works on ${called} before it answers`, 'acknowledgement.slow-handler', () => ({
    answer: async (message, isNew, around) => {
      if (nameOf(message) === family) await turn(around.delayMs())
      return soundSteps.answer(message, isNew, around)
    },
  })),
]

export const familyFaults: readonly BrokenReceiver[] = [
  ...each.flatMap((one) => faultsOfFamily(one).map((made) => ({ ...made, family: one[0] }))),
  ...(['subscription.disabled', 'subscription.events_missed'] as const).map((type) =>
    fault(`stores ${type} and never acts on it`, 'acknowledgement.subscription-effects', () => ({
      // Told to be a copy, it is stored and never handled.
      store: async (id, body, around) =>
        (await store(id, body, around)) && parse(body)?.type !== type,
    })),
  ),
]
