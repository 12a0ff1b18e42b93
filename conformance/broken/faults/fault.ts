import { type Inbound, type Steps, type Surroundings, soundSteps } from '../steps.ts'

/** A receiver with one fault, as it is made in earnest, and the property that must see it. */
export interface BrokenReceiver {
  readonly name: string
  readonly killedBy: string
  readonly change: () => Partial<Steps>
}

export const broken = (
  name: string,
  killedBy: string,
  change: () => Partial<Steps>,
): BrokenReceiver => ({
  name,
  killedBy,
  change,
})

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
