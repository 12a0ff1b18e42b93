import type { ReviewCase } from '../records.ts'
import { asksTheSame, goesWithItsRule, isAdopted, withAsked } from './adoption.ts'
import { presentationDigest } from './presentation-digest.ts'
import { type Command, move, no, nothing, type RowVerdict, requesterDetail } from './row-verdict.ts'

/**
 * 14: an application's opening adopts an open case of a policy, once. 15: a later one may name the person whom no opening
 * named before. Nothing else of it is taken.
 */
export function adopt(review: ReviewCase, command: Command<'adopt'>): RowVerdict {
  const { presentation: asked, resumeToken, requestedBy, dataSubjectId = null } = command
  if (!goesWithItsRule(review)) return repeatedOpening(review, command)
  const requester = review.requestedBy ?? requestedBy
  if (requester !== null && requester === review.assigneeId)
    return no('requester_cannot_review', requesterDetail)
  const presentation = withAsked(review.presentation, asked)
  return move('adopted', review.reasonCategory, {
    presentation,
    // Stays null until a reviewer is assigned, who is shown the whole then.
    presentationDigest:
      review.presentationDigest === null ? null : presentationDigest(presentation),
    resumeToken: review.resumeToken ?? resumeToken,
    requestedBy: requester,
    dataSubjectId,
  })
}

/** An opening at a case that an application has opened or adopted before. */
function repeatedOpening(
  review: ReviewCase,
  { presentation, requestedBy, dataSubjectId: named = null, subjectOfPlace }: Command<'adopt'>,
): RowVerdict {
  if (isAdopted(review)) {
    if (!asksTheSame(review, presentation)) return conflict('another presentation')
    // A requester who is not on record could review their own action.
    if (requestedBy !== null && requestedBy !== review.requestedBy)
      return conflict('another requester, or none,')
  }
  if (named === null || named === review.dataSubjectId) return nothing
  // What is shown may be about the person whose the case was: their erasure would not find it under another name.
  const of = review.dataSubjectId ?? subjectOfPlace ?? null
  if (of !== null && of !== named)
    return no('idempotency_conflict', 'the case at this checkpoint is about another person')
  return move('subject_named', review.reasonCategory, { dataSubjectId: named })
}

const conflict = (what: string) =>
  no('idempotency_conflict', `an opening with ${what} has adopted the case at this checkpoint`)
