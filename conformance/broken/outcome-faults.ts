import { commit } from './disk.ts'
import { type BrokenOutcomeReceiver, outcomeFaultOf as of } from './outcome-fault.ts'
import { admitting, type OutcomeFault, type Serving } from './outcome-receiver.ts'
import { resumings } from './outcome-resumings.ts'
import { type ApprovalCheck, acts } from './signed-approval.ts'
import { type Message, type Steps, soundSteps } from './steps.ts'

const checks: Readonly<Record<ApprovalCheck, string>> = {
  signature: 'acts on approvals without a signature',
  'pinned key': 'trusts the key that comes with the outcome',
  'kind of key': 'takes the kind of key from the outcome',
  revocation: 'takes a revoked key',
  challenge: 'does not compare the challenge',
  case: 'takes the statement of another case',
  checkpoint: 'takes a statement at another checkpoint',
  'asked organization': 'takes the organization from the outcome',
  'asked session': 'takes the AI run from the outcome',
  'asked token': 'takes the resume token from the outcome',
  decision: 'takes the statement of another decision',
  presentation: 'takes an approval of something harmless',
  age: 'takes an approval of whatever age',
  'age of days': 'takes an approval of some days ago',
  future: 'takes an approval of a time to come',
  'hours to come': 'takes an approval of some hours to come',
  'user verification': 'does not ask for user verification',
  'relying party': 'takes another relying party',
  origin: 'takes another origin',
}

/** Endpoints that pin reviewers' keys and leave one check out; all of them by `outcome.unsigned-approval`. */
export const brokenSignedReceivers: readonly BrokenOutcomeReceiver[] = Object.entries(checks).map(
  ([without, name]) => ({
    name,
    group: 'reviewers’ signatures',
    killedBy: 'outcome.unsigned-approval',
    change: ({ pinned, ...own }) => ({
      acts: (outcome) =>
        pinned !== undefined && acts(outcome, { ...own, pinned }, without as ApprovalCheck),
    }),
  }),
)

const foreign = of('application', 'outcome.foreign-application')
const serving =
  (serves: Serving): OutcomeFault =>
  (given) => ({ admit: admitting(given, serves) })
const whoseText = (isOwn: (id: string, own: string) => boolean): OutcomeFault =>
  serving(({ applicationId }, own) => (isOwn(String(applicationId), own) ? null : 403))

const applications: readonly BrokenOutcomeReceiver[] = [
  foreign(
    'takes every application that the signature covers',
    serving(() => null),
  ),
  foreign(
    'acknowledges what it does not serve',
    serving(({ applicationId }, own) => (applicationId === own ? null : 204)),
  ),
  foreign(
    'compares without case',
    whoseText((id, own) => id.toLowerCase() === own.toLowerCase()),
  ),
  foreign(
    'compares a prefix',
    whoseText((id, own) => id.startsWith(own)),
  ),
  foreign(
    'takes a prefix of its own',
    whoseText((id, own) => own.startsWith(id)),
  ),
  foreign(
    'answers 410 to what it does not serve',
    serving(({ applicationId }, own) => (applicationId === own ? null : 410)),
  ),
  foreign('stores before it looks', (given) => ({
    before({ body }, { disk }) {
      const message = soundSteps.parse(body)
      if (message) disk.events.set(message.id, body)
      return null
    },
    admit: admitting(given),
  })),
  of('application', 'outcome.own-application')(
    'refuses its own application',
    serving(() => 403),
  ),
]

const only = of('decision', 'outcome.only-approved')
const acting =
  (isApproved: (decision: unknown) => boolean): OutcomeFault =>
  () => ({ acts: ({ decision }) => isApproved(decision) })
const unless = (...others: readonly unknown[]): OutcomeFault =>
  acting((decision) => !others.includes(decision))

const decisions: readonly BrokenOutcomeReceiver[] = [
  only(
    'reads a decision without case',
    acting((decision) => String(decision).toLowerCase() === 'approved'),
  ),
  only(
    'trims a decision',
    acting((decision) => String(decision).trim() === 'approved'),
  ),
  only(
    'looks for the word in a decision',
    acting((decision) => String(decision).includes('approved')),
  ),
  only(
    'looks at how a decision begins',
    acting((decision) => String(decision).startsWith('approve')),
  ),
  only(
    'looks at how a decision ends',
    acting((decision) => String(decision).endsWith('approved')),
  ),
  only(
    'makes a text of a decision',
    acting((decision) => String(decision) === 'approved'),
  ),
  only(
    'looks for the word anywhere in a decision',
    acting((decision) => JSON.stringify(decision)?.includes('"approved"') ?? false),
  ),
  only(
    'takes whatever stands there for an approval',
    acting((decision) => Boolean(decision)),
  ),
  only(
    'takes no decision for an approval',
    acting((decision) => (decision ?? 'approved') === 'approved'),
  ),
  only('takes what is not rejected for approved', unless('rejected')),
  only('takes expired for approved', unless('rejected', 'cancelled', 'response_submitted')),
  only('takes cancelled for approved', unless('rejected', 'expired', 'response_submitted')),
  only('takes a response for an approval', unless('rejected', 'expired', 'cancelled')),
]

const events = of('types', 'outcome.no-event')
const ofType =
  (isOutcome: (type: string) => boolean): OutcomeFault =>
  (given) => ({ admit: admitting(given, undefined, isOutcome) })

const types: readonly BrokenOutcomeReceiver[] = [
  events(
    'goes on by the event of a decision',
    ofType((type) => type === 'review.outcome' || type === 'review.case.decided'),
  ),
  events(
    'takes any type that has a decision',
    ofType(() => true),
  ),
  events(
    'takes types that begin so',
    ofType((type) => type.startsWith('review.outcome')),
  ),
  events(
    'takes types without case',
    ofType((type) => type.toLowerCase() === 'review.outcome'),
  ),
]

/** Keeps every body, and acts where `isNew` says so of the outcome that comes. */
const newBy =
  (isNewIn: () => (outcome: Message, id: string) => boolean): OutcomeFault =>
  () => {
    const isNew = isNewIn()
    return {
      store: (id, body, around) =>
        commit(around, () => {
          around.disk.events.set(id, body)
          const outcome = soundSteps.parse(body)
          return outcome !== null && isNew(outcome, id)
        }),
    }
  }
/** New is an outcome whose key was not seen. */
const unseen = (keyOf: (outcome: Message) => string): OutcomeFault =>
  newBy(() => {
    const seen = new Set<string>()
    return (outcome) => {
      const key = keyOf(outcome)
      const isNew = !seen.has(key)
      seen.add(key)
      return isNew
    }
  })

/** New is an outcome of which this part is another than that of the last one at its checkpoint. */
const lastOf = (partOf: (outcome: Message) => unknown): OutcomeFault =>
  newBy(() => {
    const last = new Map<unknown, unknown>()
    return (outcome) => {
      const isNew = last.get(outcome.checkpointId) !== partOf(outcome)
      last.set(outcome.checkpointId, partOf(outcome))
      return isNew
    }
  })

const conflict = of('identity and copies', 'outcome.conflict')
const older = of('identity and copies', 'outcome.older-copy')

const identities: readonly BrokenOutcomeReceiver[] = [
  conflict(
    'tells copies by id and decision',
    unseen(({ id, decision }) => `${id} ${String(decision)}`),
  ),
  conflict(
    'tells copies by id and version of the case',
    unseen(({ id, caseVersion }) => `${id} ${String(caseVersion)}`),
  ),
  conflict(
    'tells copies by the checkpoint and the id',
    unseen(({ id, checkpointId }) => `${id} ${String(checkpointId)}`),
  ),
  conflict(
    'tells copies by their bytes',
    unseen((outcome) => JSON.stringify(outcome)),
  ),
  older(
    'remembers the last outcome of a checkpoint alone',
    lastOf(({ id }) => id),
  ),
  older(
    'remembers the last decision of a checkpoint alone',
    lastOf(({ decision }) => decision),
  ),
  older(
    'forgets the checkpoint once it is cancelled',
    newBy(() => {
      const seen = new Map<unknown, Set<string>>()
      return ({ checkpointId, decision }, id) => {
        if (decision === 'cancelled') seen.delete(checkpointId)
        const ids = seen.get(checkpointId) ?? new Set()
        const isNew = !ids.has(id)
        seen.set(checkpointId, ids.add(id))
        return isNew
      }
    }),
  ),
]

/** Endpoints for outcomes that the suite must fail, each by the property that is named. */
export const brokenOutcomeReceivers: readonly BrokenOutcomeReceiver[] = [
  ...applications,
  ...decisions,
  ...types,
  ...identities,
  ...resumings,
]

/** Steps that a fault of a receiver of events may replace for it to be one of an endpoint of outcomes too. */
const alike: ReadonlySet<keyof Steps> = new Set([
  ...(['maxBodyBytes', 'readsTogether', 'before', 'authenticate', 'idOf', 'store'] as const),
  ...(['storeFailed', 'acknowledge', 'resume', 'carryOut', 'actOnCopies'] as const),
])

/** Whether these steps of a receiver of events are steps of an endpoint of outcomes. */
export const isAlike = (steps: Partial<Steps>): boolean =>
  Object.keys(steps).every((name) => alike.has(name as keyof Steps))
