import type { Change } from './changes.ts'
import type { Act } from './deciding.ts'
import type { Names } from './names.ts'
import type { Part } from './parts.ts'

/** Headings of the parts of a document; members carry their own names. */
export const partNames: Readonly<Record<Part['kind'], string>> = {
  action: 'Action',
  change: 'Before and after',
  member: '',
  answered: 'Answered questions',
  respond: 'Form of a response',
  words: 'The application’s words',
  document: 'Document',
}

/** What is said once the service did it. */
export const doneNames: Readonly<Record<Act, string>> = {
  reject: 'Rejected. The application is told within seconds.',
  approve: 'Approved. The application is told within seconds.',
  respond: 'The response is recorded. The application is told within seconds.',
  ask: 'The question was asked.',
  hand_over: 'The case was handed over.',
  claim: 'You have the case now.',
}

const decisionWords: Readonly<Record<string, string>> = {
  approved: 'Approved',
  rejected: 'Rejected',
  response_submitted: 'Answered with a response',
  follow_up_required: 'A question is open',
  cancelled: 'Cancelled',
  expired: 'Expired',
}

const reasonWords: Readonly<Record<string, string>> = {
  policy_requires_human_review: 'a policy requires it',
  high_risk_action: 'the action is risky',
  sensitive_data: 'it touches sensitive data',
  other: 'another reason',
  end_user_cancelled: 'the user cancelled it',
  parent_workflow_ended: 'the workflow around it ended',
  safer_alternative_completed: 'a safer way was taken',
  checkpoint_unavailable: 'the paused work is gone',
  checkpoint_superseded: 'another request took its place',
  application_lifecycle: 'the application is being deleted',
  policy_rule_withdrawn: 'the policy was withdrawn',
}

const stepWords: Readonly<Record<string, string>> = {
  created: 'opened',
  claimed: 'claimed',
  reassigned: 'handed over',
  follow_up_requested: 'question asked',
  follow_up_answered: 'question answered',
  decided: 'decided',
  cancelled: 'cancelled',
  overdue: 'overdue',
  expired: 'expired',
  callback_attempted: 'outcome sent, not received',
  callback_received: 'outcome received',
  callback_given_up: 'outcome not received, given up',
  callback_replayed: 'outcome sent again',
  continuation_reported: 'application reported what it did',
  adopted: 'application added its request',
  subject_named: 'person named',
  session_moved: 'moved with its session',
}

const continuationWords: Readonly<Record<string, string>> = {
  resumed: 'The application went on.',
  terminated: 'The application ended the work.',
  remained_paused: 'The application is still paused.',
  superseded: 'Another request took its place.',
  failed: 'The application could not go on.',
}

const callbackWords: Readonly<Record<string, string>> = {
  none: 'No address for outcomes was set; the application reads the case itself.',
  pending: 'The outcome is being sent.',
  received: 'The application received the outcome.',
  failed: 'The application did not take the outcome; it can be sent again.',
}

/** Words of the service, and what they mean; unknown ones stay as they came. */
const wordsOf = (table: Readonly<Record<string, string>>) => (word: string) =>
  Object.hasOwn(table, word) ? (table[word] ?? word) : word

export const decisionOf = wordsOf(decisionWords)
export const reasonOf = wordsOf(reasonWords)
export const stepOf = wordsOf(stepWords)
export const continuationOf = wordsOf(continuationWords)
export const callbackOf = wordsOf(callbackWords)

/** What happened to a case, in a sentence. */
export function sentenceOf(change: Change, names: Names): string {
  switch (change.kind) {
    case 'decided': {
      const by = change.by === null ? '' : ` by ${names.member(change.by)}`
      return `It was decided${by}: ${decisionOf(change.decision)}.`
    }
    case 'cancelled':
      return `It was cancelled${change.reason === null ? '' : `: ${reasonOf(change.reason)}`}.`
    case 'expired':
      return 'It expired: nothing was approved.'
    case 'assigned':
      return `${names.member(change.to)} has it now.`
    case 'asked':
      return 'A question was asked.'
    case 'answered':
      return 'The application answered the question; the answer is part of what is signed.'
    case 'overdue':
      return 'It is overdue now.'
    case 'document':
      return 'What is to be decided is other than before.'
    case 'other':
      return 'It has another version now.'
  }
}
