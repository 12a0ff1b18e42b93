import type { Family } from '../../receiver/types.ts'
import { type Inbound, type Steps, type Surroundings, soundSteps } from '../steps.ts'

/** A receiver with one fault, as it is made in earnest, and the property that must see it. */
export interface BrokenReceiver {
  readonly name: string
  /** Of the table in the README. */
  readonly group: FaultClass
  readonly killedBy: string
  readonly change: () => Partial<Steps>
  /** Whose events alone it treats worse, where it is one family's. */
  readonly family?: Family
}

/** The classes of faults, each made by generators of its own. */
export const faultClasses = [
  'plain',
  'circumstances',
  'key and algorithm confusion',
  'partial comparison',
  'bytes that are not the body',
  'time',
  'identity',
  'forgetting',
  'order arithmetic',
  'load',
  'bodies and challenges',
  'restart',
  'families',
] as const
/** A class of receiver faults. */
export type FaultClass = (typeof faultClasses)[number]

/** A maker of the faults of one class. */
export const faultsOf =
  (group: FaultClass) =>
  (name: string, killedBy: string, change: () => Partial<Steps>): BrokenReceiver => ({
    name,
    group,
    killedBy,
    change,
  })

export const broken: ReturnType<typeof faultsOf> = faultsOf('plain')

const { authenticate } = soundSteps

/** The sound check, of headers or a body that were changed on their way to it. */
export const authenticateAs =
  (see: (inbound: Inbound) => Partial<Inbound>): Steps['authenticate'] =>
  (inbound, around) =>
    authenticate({ ...inbound, ...see(inbound) }, around)

export const withJoined = (inbound: Inbound, change: Record<string, string>): Partial<Inbound> => {
  const joined = { ...inbound.joined, ...change }
  return { joined, headers: joined }
}

export const accepted = { ok: true, family: 'standard', id: null } as const

/** The type that the body names, whether or not it is genuine. */
export function typeOf({ body }: Inbound): string {
  return soundSteps.parse(body)?.type ?? ''
}

/** Whether any entry of the list is the MAC of a shared secret, compared as `equal` says. */
export function macMatches(
  { joined, body }: Inbound,
  { keys }: Surroundings,
  equal: (given: string, expected: string) => boolean,
  entries = (joined['webhook-signature'] ?? '').split(' '),
): boolean {
  const prefix = `${joined['webhook-id']}.${joined['webhook-timestamp']}.`
  return keys.some((key) => {
    if (key.scheme !== 'v1') return false
    const expected = key.mac(prefix, body, 'base64')
    return entries.some((entry) => equal(entry, expected))
  })
}

/** Takes what the sound check takes, and what another check takes besides. */
export const orElse =
  (other: (inbound: Inbound, around: Surroundings) => boolean): Steps['authenticate'] =>
  (inbound, around) => {
    const proof = authenticate(inbound, around)
    return !proof.ok && other(inbound, around) ? accepted : proof
  }

/** Verifies at the time that the message claims, so that none is too old. */
export const timeless =
  (accept: (age: number, inbound: Inbound) => boolean): Steps['authenticate'] =>
  (inbound, around) => {
    const claimed = Number(inbound.joined['webhook-timestamp'])
    const age = Math.floor(around.now() / 1000) - claimed
    return accept(age, inbound)
      ? authenticate(inbound, { ...around, now: () => claimed * 1000 })
      : authenticate(inbound, around)
  }
