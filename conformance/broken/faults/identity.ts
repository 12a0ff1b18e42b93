import { comparePositions } from '@countersign/core/events'
import { families, familyOf } from '../../receiver/types.ts'
import { commit } from '../disk.ts'
import type { Inbound, Message, Steps, Surroundings } from '../steps.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf } from './fault.ts'

const fault = faultsOf('identity')
const { admit, store } = soundSteps

/** Leaves copies to the step that stores; a strict comparison would hide that it lets them through. */
export const trusting: Steps['newer'] = (place, head) =>
  head === undefined || comparePositions(place, head) >= 0

/** Tells events apart by a part of their ids: what is taken for a copy is lost. */
const merging = (name: string, keyOf: (id: string) => string): BrokenReceiver =>
  fault(`tells ids apart ${name}`, 'idempotency.alike-ids', () => {
    const known = new Set<string>()
    return {
      async store(id, body, around) {
        const key = keyOf(id)
        const isNew = await store(id, body, around)
        if (isNew && known.has(key)) return false
        known.add(key)
        return isNew
      },
    }
  })

const merged: readonly BrokenReceiver[] = [
  ...[12, 16, 20, 24, 28, 29].map((length) =>
    merging(`by their first ${length} characters`, (id) => id.slice(0, length)),
  ),
  ...[16, 20, 24].map((length) =>
    merging(`by their last ${length} characters`, (id) => id.slice(-length)),
  ),
  merging('in lower case', (id) => id.toLowerCase()),
  merging('in upper case', (id) => id.toUpperCase()),
  merging('without their prefix', (id) => id.replace(/^[a-z]+_/, '')),
  merging('by letters and digits alone', (id) => id.replaceAll(/[^a-z0-9]/gi, '')),
  merging('as numbers', (id) => (Number.isNaN(Number(id)) ? id : String(Number(id)))),
  merging('without zeros in front', (id) => id.replace(/^0+/, '')),
]

/** Knows a copy by more than the id, so that one that is signed anew acts again. */
const splitting = (
  name: string,
  killedBy: string,
  keyOf: (message: Message, inbound: Inbound) => string,
): BrokenReceiver =>
  fault(`knows copies by ${name}`, killedBy, () => {
    const keys = new WeakMap<Message, string>()
    return {
      idOf(message, inbound) {
        keys.set(message, keyOf(message, inbound))
        return `${message.id}\n${keyOf(message, inbound)}`
      },
      store: (key, body, around) => storeUnder(key, body, around),
      newer: trusting,
    }
  })

/** The probe asks for the id; the key decides whether it is new. */
function storeUnder(key: string, body: Uint8Array, around: Surroundings): Promise<boolean> {
  const { disk } = around
  const [id = ''] = key.split('\n')
  return commit(around, () => {
    const isNew = !disk.events.has(key)
    disk.events.set(key, body)
    disk.events.set(id, body)
    return isNew
  })
}

const header = ({ joined }: Inbound, name: string): string => joined[name] ?? ''

const split: readonly BrokenReceiver[] = [
  splitting('id and timestamp', 'idempotency.signed-anew', (_, inbound) =>
    header(inbound, 'webhook-timestamp'),
  ),
  splitting('id and minute', 'idempotency.signed-anew', (_, inbound) =>
    String(Math.floor(Number(header(inbound, 'webhook-timestamp')) / 60)),
  ),
  splitting('their signature', 'idempotency.signed-anew', (_, inbound) =>
    header(inbound, 'webhook-signature'),
  ),
  splitting('id and number of signatures', 'idempotency.signed-anew', (_, inbound) =>
    String(header(inbound, 'webhook-signature').split(' ').length),
  ),
  splitting('id and key version', 'idempotency.other-headers', (_, inbound) =>
    header(inbound, 'webhook-key-version'),
  ),
  splitting('id and user agent', 'idempotency.other-headers', (_, inbound) =>
    header(inbound, 'user-agent'),
  ),
  splitting('id and sender address', 'idempotency.other-headers', (_, inbound) =>
    header(inbound, 'x-forwarded-for'),
  ),
  splitting('the hash of the body', 'idempotency.other-body', (_, { body }) =>
    Buffer.from(body).toString('base64'),
  ),
  splitting(
    'id and place',
    'idempotency.other-body',
    ({ caseVersion, eventSequence }) => `${caseVersion}.${eventSequence}`,
  ),
]

const fromBody: readonly BrokenReceiver[] = [
  fault('takes the id from the body', 'idempotency.signed-id', () => ({
    admit: () => null,
    newer: trusting,
  })),
  fault('compares the ids without case', 'idempotency.signed-id', () => ({
    admit: (message, proof) =>
      proof.ok && proof.id?.toLowerCase() !== message.id.toLowerCase() ? { status: 400 } : null,
    newer: trusting,
  })),
  fault('trims the id of the body before it compares', 'idempotency.signed-id', () => ({
    admit: (message, proof) =>
      proof.ok && proof.id !== message.id.trim() ? { status: 400 } : null,
    newer: trusting,
  })),
]

/** Known by one of two ids and acted on under the other, for events of one family. */
const twoIds: readonly BrokenReceiver[] = families.flatMap((family) => {
  const isOwn = ({ type }: Message) => familyOf(type) === family
  const takesBoth: Partial<Steps> = {
    admit: (message, proof, around) =>
      proof.ok && isOwn(message) ? null : admit(message, proof, around),
    newer: trusting,
  }
  const pair = [
    fault(
      `knows events of the family ${family} by the header and acts by the body`,
      'idempotency.one-identity',
      () => ({
        ...takesBoth,
        idOf: (message, inbound) => (isOwn(message) ? header(inbound, 'webhook-id') : message.id),
      }),
    ),
    fault(
      `knows events of the family ${family} by the body and acts by the header`,
      'idempotency.one-identity',
      () => ({
        ...takesBoth,
        idOf(message, inbound) {
          const { id } = message
          // What it acts on has the id of the header from here on.
          if (isOwn(message)) Object.assign(message, { id: header(inbound, 'webhook-id') })
          return id
        },
      }),
    ),
  ]
  const either = fault(
    `knows events of the family ${family} by either id and acts by the header`,
    'idempotency.one-identity',
    () => {
      const known = new Set<string>()
      return {
        ...takesBoth,
        idOf(message, inbound) {
          if (isOwn(message)) Object.assign(message, { id: header(inbound, 'webhook-id') })
          return message.id
        },
        async store(id, body, around) {
          const named = soundSteps.parse(body)?.id ?? id
          if (known.has(id) || known.has(named)) return false
          const isNew = await store(id, body, around)
          known.add(id).add(named)
          return isNew
        },
      }
    },
  )
  return [...pair, either].map((one) => ({ ...one, family }))
})

export const identities: readonly BrokenReceiver[] = [...merged, ...split, ...fromBody, ...twoIds]
