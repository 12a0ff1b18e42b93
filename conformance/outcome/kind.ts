import type { EndpointKind } from '../receiver/kind.ts'
import { alertEvent, challengeEvent, type Event, reviewEvent } from '../receiver/messages.ts'
import { properties as ofReceivers } from '../receiver/properties/index.ts'
import { outcomeOf, type ServedApplication } from './message.ts'
import { outcomeProperties, signedProperties } from './property.ts'
import type { SuiteReviewers } from './reviewers.ts'

/** Groups of what a receiver of events promises and an endpoint of outcomes promises alike. */
const groups = ['signature', 'timestamp', 'reading', 'idempotency', 'acknowledgement']

/** Of these groups what is about types, or about bodies that an endpoint of outcomes refuses. */
const ofEventsAlone: ReadonlySet<string> = new Set([
  'acknowledgement.subscription-effects',
  'idempotency.every-type',
  'idempotency.other-body',
  'reading.malformed-signed',
  'reading.verify-first',
  'timestamp.every-type',
])

const shared = ofReceivers.filter(
  ({ name }) => groups.includes(name.split('.')[0] ?? '') && !ofEventsAlone.has(name),
)

/** Members that events have; what a history adds beside them is added to the outcome. */
const ofEvents = new Set(
  [reviewEvent(), challengeEvent(null), alertEvent()].flatMap((event) => Object.keys(event)),
)

/**
 * The outcome for the application that is served, in place of any event: with its id, its decision or `approved`, and what
 * the history adds. All else follows from the event, of which every copy is to be the same.
 */
function outcomesFor(served: ServedApplication, reviewers: SuiteReviewers | undefined) {
  // A signature has a time of its own.
  const signatures = new Map<string, object | null>()
  return (event: Event): Event => {
    const { id, time, reviewCaseId = `rc_${id}`, decision } = event
    const outcome = outcomeOf(served, {
      ...Object.fromEntries(Object.entries(event).filter(([name]) => !ofEvents.has(name))),
      ...{ id, time, reviewCaseId, decision: decision ?? 'approved' },
      checkpointId: `step_${id}`,
      resumeToken: reviewers?.pinned.asked.resumeToken ?? `token_${id}`,
    })
    if (!reviewers || outcome.decision !== 'approved') return outcome
    const name = `${id} ${reviewCaseId}`
    const decisionSignature = signatures.get(name) ?? reviewers.sign(outcome)
    signatures.set(name, decisionSignature)
    return { ...outcome, decisionSignature }
  }
}

/** Endpoints of outcomes that serve this application. */
export function outcomeEndpoints(
  served: ServedApplication,
  reviewers: SuiteReviewers | undefined,
): EndpointKind {
  return {
    properties: [
      ...outcomeProperties(served, reviewers),
      ...(reviewers ? signedProperties(served, reviewers) : []),
      ...shared,
    ],
    messageOf: outcomesFor(served, reviewers),
    // Whatever an event is of, the same outcome stands for it.
    types: ['review.case.created'],
    hasTypes: false,
  }
}
