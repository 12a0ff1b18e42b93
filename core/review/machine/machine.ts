import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { type Refusal, refuse } from '../../kernel/ledger/refusal.ts'
import type { SeenVersion } from '../inputs.ts'
import type { ReviewCase } from '../records.ts'
import { tooLarge } from './case-size.ts'
import type { CaseCommand, CommandContext, Decided } from './command.ts'
import { recordSteps } from './record-steps.ts'
import { adopt } from './repeated-opening.ts'
import type { RowVerdict } from './row-verdict.ts'
import * as transitions from './transitions.ts'

// open ─► decided | cancelled | expired, and no way back. Assignment, overdue and a pending follow-up are facts
// beside the state. Row 1 is `newCase`, rows 14 and 15 are in repeated-opening.ts, every other row is a function of
// transitions.ts.

/** Decides a command. Row 9 precedes all others: a case past `expiresAt` expires first. */
export function decide(review: ReviewCase, command: CaseCommand, context: CommandContext): Decided {
  const denied = transitions.denied(review, command, context)
  if (review.state === 'open' && context.now >= review.expiresAt) {
    const moved = recordSteps(review, [transitions.expire(context)], context.now, 'system')
    return command.type === 'deadline'
      ? moved
      : { kind: 'refused', refusal: denied ?? caseExpired(review), moved }
  }
  if (denied) return { kind: 'refused', refusal: denied }
  const verdict = judge(review, command, context)
  if ('refusal' in verdict) return { kind: 'refused', refusal: verdict.refusal }
  if (verdict.moves.length === 0) return { kind: 'same' }
  const moved = recordSteps(review, verdict.moves, context.now, context.by.name)
  const refused = tooLarge(command.type, moved.case)
  return refused ? { kind: 'refused', refusal: refused } : moved
}

function judge(review: ReviewCase, command: CaseCommand, context: CommandContext): RowVerdict {
  switch (command.type) {
    case 'claim':
      return open(review) ?? transitions.claim(review, context, staleness(review, context.seen))
    case 'reassign':
      return asSeen(review, context) ?? transitions.reassign(review, command, context)
    case 'request_follow_up':
      return asSeen(review, context) ?? transitions.requestFollowUp(review, command, context)
    case 'answer_follow_up':
      return asSeen(review, context) ?? transitions.answerFollowUp(review, command, context)
    case 'decide':
      return asSeen(review, context) ?? transitions.decideOutcome(review, command, context)
    case 'cancel':
      return asSeen(review, context) ?? transitions.cancel(review, command, context)
    case 'deadline':
      return review.state === 'open' ? transitions.overdue(review, context) : { moves: [] }
    case 'callback_settled':
      return closed(review) ?? transitions.settleCallback(review, command, context)
    case 'replay_callback':
      return closed(review) ?? transitions.replayCallback(review)
    case 'report_continuation':
      return closed(review) ?? transitions.reportContinuation(review, command, context)
    case 'adopt':
      return open(review) ?? adopt(review, command)
    case 'move_session':
      return transitions.moveSession(review, command)
  }
}

/** Refuses a stale version first, then a case that is not open. */
function asSeen(
  review: ReviewCase,
  { seen }: CommandContext,
): { readonly refusal: Refusal } | null {
  const stale = review.state === 'expired' ? null : staleness(review, seen)
  return stale ? { refusal: stale } : open(review)
}

/** Refuses a case that is not open. Expired cases always yield `case_expired`, whichever command arrives first. */
function open(review: ReviewCase): { readonly refusal: Refusal } | null {
  if (review.state === 'open') return null
  if (review.state === 'expired') return { refusal: caseExpired(review) }
  return refuse('invalid_transition', `the case is ${review.state}, expected open`)
}

function closed({ state }: ReviewCase): { readonly refusal: Refusal } | null {
  return state === 'open' ? refuse('invalid_transition', 'the case is open, expected closed') : null
}

function caseExpired({ expiresAt }: ReviewCase): Refusal {
  return refuse('case_expired', `the case expired at ${isoTime(expiresAt)}`).refusal
}

/** Refuses a stale version or position. */
function staleness(review: ReviewCase, seen: SeenVersion | null): Refusal | null {
  if (!seen) return null
  const { caseVersion, eventSequence } = review
  const position = seen.eventSequence ?? eventSequence
  if (seen.caseVersion === caseVersion && position === eventSequence) return null
  const [expected, came] =
    seen.eventSequence === undefined
      ? [`${caseVersion}`, `${seen.caseVersion}`]
      : [
          `${caseVersion} and eventSequence ${eventSequence}`,
          `${seen.caseVersion} and ${seen.eventSequence}`,
        ]
  const detail = `expected caseVersion ${expected}, got ${came}: the case has moved`
  return refuse('version_conflict', detail).refusal
}
