import { alertMailMs } from '../../kernel/ledger/limits.ts'
import type { JudgedAlert } from './machine.ts'

/** The mails about a rule so far; times are ms. */
export interface AlertMailing {
  /** When the last mail was owed; null before the first. */
  readonly lastAt: number | null
  /** Times that the rule was triggered since. */
  readonly untold: number
}

/** After a judgement: the mails so far, and of how many alerts one is due (0: none is). */
export interface JudgedMailing {
  readonly mailing: AlertMailing
  readonly due: number
}

/** Of a rule about which nothing was mailed. */
export const unmailed: AlertMailing = { lastAt: null, untold: 0 }

/**
 * Bounds the mails of a rule (decision 112): one is due while the rule is triggered, was triggered since the last mail,
 * and this is an hour ago.
 */
export function judgeMailing(
  before: AlertMailing,
  { after, change }: JudgedAlert,
  now: number,
): JudgedMailing {
  const { lastAt } = before
  const untold = before.untold + (change === 'triggered' ? 1 : 0)
  const isFree = lastAt === null || now - lastAt >= alertMailMs
  return after.state === 'triggered' && untold > 0 && isFree
    ? { mailing: { lastAt: now, untold: 0 }, due: untold }
    : { mailing: { lastAt, untold }, due: 0 }
}
