import { seals } from '../../content/seal-records.ts'
import { ofOneSession } from '../../content/view.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { object } from '../../kernel/members.ts'
import { command, list } from '../../kernel/operation.ts'
import { peek, rowUnder } from '../../kernel/query.ts'
import { members } from '../../organizations/access/records.ts'
import { reviewTexts } from './mark-texts.ts'
import { markRefusals, marksOnSession, noteMark, sessionToMark } from './marking.ts'
import {
  reviewView,
  sessionReviewDefinition,
  sessionReviews,
  shownSessionReview,
} from './records.ts'

const review = object(shownSessionReview, 'SessionReview')

/** A session's reviews, the latest first. */
export const listSessionReviews = list({
  name: 'sessionReviews.list',
  doc: 'List the reviews of a session',
  right: 'readSessions',
  filter: ofOneSession,
  items: 'sessionReviews',
  item: review,
  refuses: ['not_found', 'ambiguous_session'],
  source: (lookup, named) => marksOnSession(lookup, named, reviewTexts, reviewView),
})

/** Reviews a session that does not run any more; decides no case. */
export const reviewSession = command({
  name: 'sessionReviews.create',
  doc: 'Review a completed session; decides no case',
  right: 'markSessions',
  takes: { ...ofOneSession, ...sessionReviewDefinition },
  gives: review,
  refuses: [...markRefusals, 'invalid_transition'],
  async run(unit, { decision, comment, ...named }) {
    const marked = await sessionToMark(unit, named)
    const { key, scene, session } = marked
    const { tenantId, applicationId, sessionId } = key
    const { memberId } = unit.by
    const { status, revision } = session.row
    if (status === 'running')
      unit.refuse('invalid_transition', 'the session is running, expected completed')
    const { member, seal } = await unit.ask({
      member: rowUnder(members, [tenantId, memberId]),
      seal: peek(
        rowUnder(seals, [tenantId, applicationId, sessionId, revision]),
        'a seal that comes before the commit leaves the review without its hash',
      ),
    })
    const row = {
      ...key,
      sessionReviewId: unit.id('rev'),
      revision,
      leafHash: seal?.row.leafHash ?? null,
      decision,
      comment,
      reviewerId: memberId,
      reviewerName: member?.row.name ?? memberId,
      reviewedAt: scene.at,
    }
    const { sessionReviewId } = row
    const data = { sessionId, sessionReviewId, reviewedAt: isoTime(row.reviewedAt) }
    unit.put(sessionReviews, row)
    unit.emit(
      decision === 'approved'
        ? { type: 'session.review.approved', applicationId, data: { ...data, decision } }
        : { type: 'session.review.rejected', applicationId, data: { ...data, decision } },
    )
    noteMark(unit, marked, {
      change: { reviewState: decision },
      action: `session.${decision}`,
      subject: sessionReviewId,
    })
    return reviewView(row)
  },
})

/** Session reviews (interface, Portal host). */
export const sessionReviewOperations = [listSessionReviews, reviewSession] as const
