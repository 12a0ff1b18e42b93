import { reviewMailMs } from '../../kernel/ledger/limits.ts'

/** The mails about cases that wait which one reviewer was owed; times are ms. */
export interface ReviewMails {
  /** When the last one was; null before the first. */
  readonly lastAt: number | null
  /** How many there were. */
  readonly count: number
}

/** A reviewer whom a case may be told to. */
export interface Reviewer extends ReviewMails {
  readonly memberId: string
}

/** Who is still to be told of a case, each with the number of their mails when it began to wait. */
export type Untold = Readonly<Record<string, number>>

/** Whom to tell of a case now, whom later, and when to look again (ms; null: nobody is left). */
export interface JudgedNotice<R extends Reviewer> {
  readonly mail: readonly R[]
  readonly untold: Untold
  readonly next: number | null
}

/** Mails of one commit. */
const mostAtOnce = 50

/**
 * Tells a case that waits to reviewers, each by at most one mail in `reviewMailMs`. One who has to be left for later is
 * told by the first mail after, of this case or another, since a mail names all that wait.
 *
 * @param untold Null when the case begins to wait; others than those are not told from then on.
 */
export function judgeNotice<R extends Reviewer>(
  reviewers: readonly R[],
  untold: Untold | null,
  now: number,
): JudgedNotice<R> {
  const mail: R[] = []
  const later: Record<string, number> = {}
  let next = Number.POSITIVE_INFINITY
  for (const reviewer of reviewers) {
    const { memberId, lastAt, count } = reviewer
    const seen = untold === null ? count : untold[memberId]
    if (seen === undefined || count > seen) continue
    // A clock that was set back must not keep a reviewer waiting for longer.
    const freeAt = lastAt === null ? now : Math.min(lastAt, now) + reviewMailMs
    if (freeAt <= now && mail.length < mostAtOnce) {
      mail.push(reviewer)
      continue
    }
    later[memberId] = seen
    next = Math.min(next, freeAt)
  }
  return { mail, untold: later, next: next === Number.POSITIVE_INFINITY ? null : next }
}
