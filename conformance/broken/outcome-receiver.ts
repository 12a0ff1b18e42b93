import { randomBytes } from 'node:crypto'
import type { PinnedForSuite, ServedApplication } from '../outcome/index.ts'
import { type RunningReceiver, startPlainReceiver } from './plain-receiver.ts'
import { acts } from './signed-approval.ts'
import type { Message, Steps } from './steps.ts'

/** What an endpoint for outcomes is given. */
export interface OutcomeGiven extends ServedApplication {
  readonly verifyKeys: readonly string[]
  /** Pins keys of reviewers; absent: acts on every approval that the service signed. */
  readonly pinned?: PinnedForSuite
}

/** A fault of an endpoint for outcomes: the steps that it has in place of sound ones. */
export type OutcomeFault = (given: OutcomeGiven) => Partial<Steps>

/** Status for an outcome that is not served; null takes it. */
export type Serving = (outcome: Message, applicationId: string) => number | null

const served: Serving = ({ applicationId }, own) => (applicationId === own ? null : 403)

/** Looks at the type of a message and at its application. */
export const admitting =
  (
    { applicationId }: OutcomeGiven,
    serving: Serving = served,
    isOutcome: (type: string) => boolean = (type) => type === 'review.outcome',
  ): Steps['admit'] =>
  (message, proof) => {
    if (!proof.ok || proof.family !== 'standard') return { status: 401 }
    const isOther = proof.id !== null && proof.id !== message.id
    if (isOther || !isOutcome(message.type)) return { status: 400 }
    const status = serving(message, applicationId)
    return status === null ? null : { status }
  }

/** The steps of a sound endpoint for outcomes, beside those of any receiver. */
const soundOutcomes = ({ pinned, ...given }: OutcomeGiven): Partial<Steps> => ({
  admit: admitting(given),
  answer: () => ({ status: 204 }),
  // Outcomes are not ordered: each is of a case of its own.
  placeOf: () => null,
  acts: (outcome) =>
    pinned ? acts(outcome, { ...given, pinned }) : outcome.decision === 'approved',
})

/** A small endpoint for outcomes without the kit, sound but for what is replaced. */
export function startOutcomeReceiver(
  given: OutcomeGiven,
  fault: OutcomeFault = () => ({}),
): Promise<RunningReceiver> {
  const legacySecret = randomBytes(32).toString('base64')
  const keys = { verifyKeys: given.verifyKeys, legacySecret }
  return startPlainReceiver(keys, { ...soundOutcomes(given), ...fault(given) })
}
