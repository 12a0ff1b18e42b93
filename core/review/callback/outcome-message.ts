import { type Outcome, type OutcomeDecision, outcomeType } from '../../base/events/outcome.ts'
import type { SentOutcome } from '../../base/events/sent-outcome.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Message, NewMessage } from '../../outbox/records.ts'
import type { ReviewHost } from '../deps.ts'
import { caseUrlOf } from '../execution/case-events.ts'
import { signatureOf } from '../present-case.ts'
import type { ReviewCase } from '../records.ts'
import { openOutcome, openToken, sealOutcome } from '../sealing.ts'
import { callbackIdOf } from './callback-id.ts'

const utf8 = new TextEncoder()

/** The outcome callback of a case that has just closed, its body sealed. */
export function outcomeMessage(
  review: ReviewCase,
  { ingestUrl, sealer }: Pick<ReviewHost, 'ingestUrl' | 'sealer'>,
): NewMessage {
  const at = review.closedAt ?? review.updatedAt
  const outcome: SentOutcome = {
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
    decisionSignature: signatureOf(review),
  }
  const message: NewMessage = {
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
