import { ApiError, type ApiErrorCode, type CaseAnswer } from '@countersign/client'

/** What a reviewer can do with an open case. */
export type Act = 'approve' | 'reject' | 'respond' | 'ask' | 'claim' | 'hand_over'

/** Why a case could not be read: no answer came, the session ended, or the service refused it. */
export type Unread = 'offline' | 'signed_out' | 'refused'

/** Codes of the client for answers that did not come. */
const noAnswer: readonly ApiErrorCode[] = ['no_answer', 'deadline_exceeded']

/** What the error of a reading means; null without one. */
export function unreadBy(error: unknown): Unread | null {
  if (error === null) return null
  if (!(error instanceof ApiError) || noAnswer.includes(error.code)) return 'offline'
  return error.code === 'authentication_required' ? 'signed_out' : 'refused'
}

/** Why an act can not be done now, in the order in which it is told. */
export type Block =
  | 'closed'
  | 'expired'
  | 'changed'
  | 'sandbox'
  | 'no_right'
  | 'requester'
  | 'unknown'
  | 'running'
  | Unread
  | 'unassigned'
  | 'assigned'
  | 'digesting'
  | 'digest'
  | 'question_open'
  | 'unseen'

/** What the decision depends on, at one moment. */
export interface Facts {
  /** The case as it is drawn. */
  readonly shown: CaseAnswer
  /** The case as it was read last; another version than the drawn one locks the form. */
  readonly latest: CaseAnswer
  readonly memberId: string
  readonly mayReview: boolean
  readonly isAdmin: boolean
  readonly isSandbox: boolean
  /** Ms by the service's clock. */
  readonly now: number
  /** The digest of the very document that is drawn; null: it has none. */
  readonly digest: string | null
  /** It is being computed. */
  readonly isDigesting: boolean
  /** Parts that were not open and in view yet. */
  readonly unseen: number
  /** A write is on its way. */
  readonly isRunning: boolean
  /** A write got no answer, and the case was not read again since. */
  readonly isUnknown: boolean
  /** Why the case could not be read just now; null: it could. */
  readonly unread: Unread | null
}

/** Whether two readings of a case are the same version, of the same content. */
export function isSameVersion(one: CaseAnswer, other: CaseAnswer): boolean {
  return (
    one.reviewCaseId === other.reviewCaseId &&
    one.caseVersion === other.caseVersion &&
    one.eventSequence === other.eventSequence &&
    one.presentationDigest === other.presentationDigest
  )
}

/** Why an act can not be done now; null: it can. */
export function blockOf(act: Act, facts: Facts): Block | null {
  const { shown, memberId } = facts
  const assignee = shown.assignment?.reviewerId ?? null
  const isMine = assignee === memberId
  if (shown.state !== 'open') return 'closed'
  if (facts.now >= Date.parse(shown.expiresAt)) return 'expired'
  if (!isSameVersion(shown, facts.latest)) return 'changed'
  if (facts.isSandbox) return 'sandbox'
  if (!facts.mayReview) return 'no_right'
  if (facts.isUnknown) return 'unknown'
  if (facts.isRunning) return 'running'
  if (facts.unread) return facts.unread
  if (act === 'hand_over') return isMine || facts.isAdmin ? null : 'assigned'
  if (shown.requestedBy === memberId) return 'requester'
  if (act === 'claim') return assignee === null ? null : 'assigned'
  if (!isMine) return assignee === null ? 'unassigned' : 'assigned'
  if (act === 'ask') return shown.decision === 'follow_up_required' ? 'question_open' : null
  if (facts.isDigesting) return 'digesting'
  if (facts.digest === null || facts.digest !== shown.presentationDigest) return 'digest'
  return act === 'approve' && facts.unseen > 0 ? 'unseen' : null
}

/** What a chosen act still needs before it can be sent. */
export type Lack = 'comment' | 'question' | 'response' | 'colleague' | 'too_long'

/** Characters that a comment, and a question, may have. */
export const longestText = 10_000

/** What is typed into the form. */
export interface Draft {
  readonly comment: string
  readonly question: string
  /** Null: the fields hold nothing that can be sent. */
  readonly response: unknown
  readonly colleague: string
}

/** Whether a comment is asked for: always with a refusal, and where much is at stake with an approval. */
export function needsComment(act: Act, { reviewTier }: CaseAnswer): boolean {
  return act === 'reject' || (act === 'approve' && reviewTier !== 'standard')
}

export function lackOf(act: Act, draft: Draft, shown: CaseAnswer): Lack | null {
  if (act === 'hand_over') return draft.colleague === '' ? 'colleague' : null
  if (act === 'ask') {
    if (draft.question.trim() === '') return 'question'
    return draft.question.length > longestText ? 'too_long' : null
  }
  if (draft.comment.length > longestText) return 'too_long'
  if (act === 'respond' && draft.response === null) return 'response'
  return needsComment(act, shown) && draft.comment.trim() === '' ? 'comment' : null
}

/** A click or a key counts only so long after what it is about came to the front. */
export const settlingMs = 500

/**
 * Whether a click or a key is meant: not one that was under way when a case, a dialog or the window came to the front,
 * and no key that is held down. Times in ms, of one monotonic clock.
 */
export function isMeant(
  event: { readonly at: number; readonly isRepeat: boolean },
  frontSince: number,
): boolean {
  return !event.isRepeat && event.at - frontSince >= settlingMs
}

/** The step that an act is in the history of a case. */
const stepOfAct: Readonly<Record<Act, CaseAnswer['history'][number]['step']>> = {
  approve: 'decided',
  reject: 'decided',
  respond: 'decided',
  ask: 'follow_up_requested',
  claim: 'claimed',
  hand_over: 'reassigned',
}

/** A write whose answer was lost. */
export interface LostWrite {
  readonly act: Act
  /** The case that it was sent for. */
  readonly before: CaseAnswer
  readonly memberId: string
  readonly question: string
  /** To whom the case was handed. */
  readonly colleague: string
}

/**
 * What became of a write whose answer was lost, by the case as it was read afterwards. The same step by somebody else,
 * or for another version than the one it was sent for, is not what was sent.
 */
export function outcomeOfLost(
  { act, before, memberId, question, colleague }: LostWrite,
  after: CaseAnswer,
): 'done' | 'not_done' | 'overtaken' {
  if (isSameVersion(before, after)) return 'not_done'
  const next = after.history.find(({ caseVersion }) => caseVersion === before.caseVersion + 1)
  if (next?.step !== stepOfAct[act] || next.actor !== `member:${memberId}`) return 'overtaken'
  switch (act) {
    case 'approve':
    case 'reject':
    case 'respond':
      return after.decision === decisions[act] ? 'done' : 'overtaken'
    case 'ask':
      return after.followUps[before.followUps.length]?.question === question ? 'done' : 'overtaken'
    case 'claim':
      return 'done'
    case 'hand_over':
      return after.assignment?.reviewerId === colleague || isHandedOn(next, after)
        ? 'done'
        : 'overtaken'
  }
}

/** Whether a case went on to somebody else after a step of its history. */
function isHandedOn(from: CaseAnswer['history'][number], { history }: CaseAnswer): boolean {
  return history.some(
    ({ step, eventSequence }) => step === 'reassigned' && eventSequence > from.eventSequence,
  )
}

/** The word that the service has for an act that decides. */
export const decisions = {
  approve: 'approved',
  reject: 'rejected',
  respond: 'response_submitted',
} as const
