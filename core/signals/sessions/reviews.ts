import { members } from '../../access/records.ts'
import { checkText } from '../../ledger/check-text.ts'
import { checkOneOf } from '../../ledger/input-errors.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { commit, refusal } from '../../ledger/ledger.ts'
import { longest } from '../../ledger/limits.ts'
import { get, one, put } from '../../ledger/reads.ts'
import { refuse } from '../../ledger/refusal.ts'
import { seals } from '../../sessions/seal-records.ts'
import type { SignalDeps } from '../deps.ts'
import { headOf, legacyEvent } from '../events.ts'
import type { SignalUseCases } from '../use-cases.ts'
import type { SessionReviewView } from '../view.ts'
import { executeOnSession, partOfSession } from './execute-on-session.ts'
import { reviewTexts } from './mark-texts.ts'
import { type SessionReview, sessionReviews } from './records.ts'

export function listSessionReviews(deps: SignalDeps): SignalUseCases['listSessionReviews'] {
  return (actor, sessionId, query, of = {}) =>
    partOfSession(deps, { actor, sessionId, of, query }, reviewTexts, reviewView)
}

export function reviewSession(deps: SignalDeps): SignalUseCases['reviewSession'] {
  return (actor, sessionId, { decision, comment = null }, of = {}) => {
    const errors = [
      ...checkOneOf(decision, ['approved', 'rejected'], '/decision'),
      ...checkText(comment, '/comment', longest.comment),
    ]
    return executeOnSession(deps, { actor, sessionId, of, errors }, async (loaded) => {
      const { unit, key, scene, member, session } = loaded
      const { status, revision } = session.row
      if (status === 'running')
        return refusal(refuse('invalid_transition', 'the session is running, expected completed'))
      const [foundMember, foundSeal] = await unit.read([
        get(members, [key.tenantId, member.memberId]),
        get(seals, [key.tenantId, key.applicationId, key.sessionId, revision]),
      ])
      const row: SessionReview = {
        ...key,
        sessionReviewId: unit.id('rev'),
        revision,
        leafHash: one(seals, foundSeal)?.row.leafHash ?? null,
        decision,
        comment,
        reviewerId: member.memberId,
        reviewerName: one(members, foundMember)?.row.name ?? member.memberId,
        reviewedAt: scene.at,
      }
      const reviewedAt = isoTime(row.reviewedAt)
      const head = headOf(scene, key.tenantId)
      const data = { sessionId: key.sessionId, sessionReviewId: row.sessionReviewId, reviewedAt }
      const changes = loaded.changes({
        puts: [put(sessionReviews, row, null)],
        events: [
          decision === 'approved'
            ? legacyEvent(head, 'session.review.approved', { ...data, decision })
            : legacyEvent(head, 'session.review.rejected', { ...data, decision }),
        ],
        session: { reviewState: decision },
        action: `session.${decision}`,
        subject: row.sessionReviewId,
      })
      return commit(changes, reviewView(row))
    })
  }
}

/** A session review as it is told. */
export function reviewView(row: SessionReview): SessionReviewView {
  const { sessionReviewId, sessionId, revision, leafHash, decision, comment } = row
  const { reviewerId, reviewerName, reviewedAt } = row
  return {
    ...{ sessionReviewId, sessionId, revision, leafHash, decision, comment },
    ...{ reviewerId, reviewerName },
    reviewedAt: isoTime(reviewedAt),
  }
}
