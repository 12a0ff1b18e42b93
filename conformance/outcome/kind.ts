import type { EndpointKind } from '../receiver/kind.ts'
import {
  alertEvent,
  type Body,
  challengeEvent,
  type Event,
  freshId,
  reviewEvent,
} from '../receiver/messages.ts'
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

/** An outcome for the application that is served, in place of any event: with its id, its decision or `approved`, and what the history adds. */
function approvals(served: ServedApplication, reviewers: SuiteReviewers | undefined) {
  const made = new Map<string, Event>()
  function make(event: Event): Event {
    const added = Object.entries(event).filter(([name]) => !ofEvents.has(name))
    const change: Body = {
      ...Object.fromEntries(added),
      id: event.id,
      time: event.time,
      reviewCaseId: event.reviewCaseId ?? freshId('rc'),
      decision: event.decision ?? 'approved',
      resumeToken: freshId('token'),
    }
    const outcome = outcomeOf(served, change)
    return reviewers && outcome.decision === 'approved'
      ? { ...outcome, decisionSignature: reviewers.sign(outcome) }
      : outcome
  }
  return (event: Event): Event => {
    const text = JSON.stringify(event)
    const known = made.get(text) ?? make(event)
    made.set(text, known)
    return known
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
    messageOf: approvals(served, reviewers),
    hasTypes: false,
  }
}
