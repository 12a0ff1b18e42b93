import type { Act, Block, Lack } from './deciding.ts'

/** What the choices say. */
export const actNames: Readonly<Record<Act, string>> = {
  reject: 'Reject',
  approve: 'Approve',
  respond: 'Respond',
  ask: 'Ask',
  hand_over: 'Hand over',
  claim: 'Claim',
}

/** What the button says that sends. */
export const sendNames: Readonly<Record<Act, string>> = {
  reject: 'Send the rejection',
  approve: 'Send the approval',
  respond: 'Send the response',
  ask: 'Send the question',
  hand_over: 'Hand the case over',
  claim: 'Claim',
}

/** Why an act can not be done now. */
export const blocks: Readonly<Record<Block, string>> = {
  closed: 'The case is closed.',
  expired: 'The case expired: nothing was approved, and nothing can be decided any more.',
  changed: 'The case changed. Look at the change first.',
  sandbox: 'Nothing can be changed in the sandbox.',
  no_right: 'You may not review cases. An admin of your organization can grant it.',
  requester: 'You asked for this action yourself, so somebody else has to decide.',
  unknown: 'It is being looked up whether the last try arrived.',
  running: 'On its way…',
  offline: 'There is no connection.',
  signed_out: 'Your session ended: log in again. What you typed is still here.',
  refused: 'The case can not be read just now; the top of the page says why.',
  unassigned: 'Claim the case first.',
  assigned: 'Somebody else has the case.',
  digesting: 'The digest of the document is being computed.',
  digest: 'What is drawn here is not what would be signed, so nothing can be decided here.',
  question_open: 'A question waits for its answer already.',
  unseen: 'Not all of the document was open and in view yet.',
}

/** What is missing before something can be sent. */
export const lacks: Readonly<Record<Lack, string>> = {
  comment: 'Write a comment first.',
  question: 'Write the question first.',
  response: 'Fill in the response first.',
  colleague: 'Choose a reviewer first.',
  too_long: 'The text has more than 10,000 characters.',
}

/** What sending an act brings about. */
export function consequenceOf(act: Act): string {
  if (act === 'ask') return 'The application is asked; the case stays with you.'
  if (act === 'hand_over') return 'The case goes to the other reviewer.'
  if (act === 'respond')
    return 'This approves nothing. The application asks again. Final; it is told within seconds.'
  return 'Final; the application is told within seconds.'
}
