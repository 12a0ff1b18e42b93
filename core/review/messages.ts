import type { ReviewEventType } from '../events/catalogue.ts'
import { encodeEvent } from '../events/envelope.ts'
import { type Outcome, type OutcomeDecision, outcomeType } from '../events/outcome.ts'
import type { ReviewEvent } from '../events/review.ts'
import { isoTime } from '../ledger/iso-time.ts'
import type { Message } from '../outbox/records.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { Outgoing } from '../webhooks/fan-out.ts'
import { callbackIdOf } from './callback-id.ts'
import type { Recorded } from './command.ts'
import type { ReviewHost } from './ports.ts'
import type { ReviewCase } from './records.ts'
import { openOutcome, openToken, sealOutcome } from './sealing.ts'
import { steps } from './steps.ts'

const utf8 = new TextEncoder()

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
    // Made once somebody is to receive it.
    get body() {
      return encodeEvent(event)
    },
  }
}

/** The outcome callback of a case that has just closed, its body sealed. */
export function outcomeMessage(
  review: ReviewCase,
  { ingestUrl, sealer }: Pick<ReviewHost, 'ingestUrl' | 'sealer'>,
): Message {
  const at = review.closedAt ?? review.updatedAt
  const outcome: Outcome = {
    id: callbackIdOf(review),
    type: outcomeType,
    schemaVersion: 1,
    time: isoTime(at),
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    sessionId: review.sessionId,
    reviewCaseId: review.reviewCaseId,
    caseVersion: review.caseVersion,
    decision: review.decision as OutcomeDecision,
    checkpointId: review.checkpointId,
    resumeToken: openToken(sealer, review),
    presentationDigest: review.presentationDigest,
    response: review.response,
    caseUrl: caseUrlOf(ingestUrl, review.reviewCaseId),
  }
  const message: Message = {
    messageId: outcome.id,
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    type: outcomeType,
    family: 'standard',
    createdAt: at,
    body: utf8.encode(JSON.stringify(outcome)),
  }
  return { ...message, body: sealOutcome(sealer, message) }
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/** The case whose outcome a message tells. */
export function caseIdOfOutcome(message: Message, sealer: Sealer): string {
  return (JSON.parse(fromUtf8.decode(openOutcome(sealer, message))) as Outcome).reviewCaseId
}
