import type { ReviewEventType } from '../../base/events/catalogue.ts'
import { encodeEvent } from '../../base/events/envelope.ts'
import type { Outgoing } from '../../base/events/outgoing.ts'
import type { ReviewEvent } from '../../base/events/review.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Recorded } from '../machine/command.ts'
import { steps } from '../machine/steps.ts'
import type { ReviewCase } from '../records.ts'

/** The authenticated address of a case; `ingestUrl` has no slash at its end. */
export function caseUrlOf(ingestUrl: string, reviewCaseId: string): string {
  return `${ingestUrl}/v1/review-cases/${reviewCaseId}`
}

/** The public events of these steps (interface, Review event); some steps have none. */
export function eventsOf(
  review: ReviewCase,
  recorded: readonly Recorded[],
  made: { readonly newId: () => string; readonly ingestUrl: string },
): readonly ReviewEvent[] {
  return recorded.flatMap((step) => {
    const type = steps[step.step].event
    return type ? [eventOf(review, step, type, made.newId(), made.ingestUrl)] : []
  })
}

function eventOf(
  review: ReviewCase,
  step: Recorded,
  type: ReviewEventType,
  id: string,
  ingestUrl: string,
): ReviewEvent {
  return {
    id,
    type,
    schemaVersion: 1,
    time: isoTime(step.at),
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    sessionId: review.sessionId,
    reviewCaseId: review.reviewCaseId,
    caseVersion: step.caseVersion,
    eventSequence: step.eventSequence,
    decision: step.decision,
    reviewTier: review.reviewTier,
    dueAt: isoTime(review.dueAt),
    expiresAt: isoTime(review.expiresAt),
    reasonCategory: step.reasonCategory,
    presentationDigest: step.presentationDigest,
    caseUrl: caseUrlOf(ingestUrl, review.reviewCaseId),
  }
}

export function outgoing(event: ReviewEvent): Outgoing {
  return {
    id: event.id,
    type: event.type,
    applicationId: event.applicationId,
    // Encoded on first use: most events have no receiver.
    get body() {
      return encodeEvent(event)
    },
  }
}
