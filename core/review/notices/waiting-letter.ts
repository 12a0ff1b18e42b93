import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Letter } from '../../kernel/mail/post.ts'
import type { ReviewCase } from '../records.ts'

/** Of a case that waits, what a mail names: ids and times, nothing of what it is about. */
export type WaitingCase = Pick<ReviewCase, 'reviewCaseId' | 'reviewTier' | 'dueAt' | 'expiresAt'>

/** The mail to a reviewer about cases that nobody has claimed; `total` may be more than are named. */
export function waitingLetter(
  to: string,
  { cases, total }: { readonly cases: readonly WaitingCase[]; readonly total: number },
  portalUrl: string,
): Letter {
  const subject = total === 1 ? '1 case waits for a review' : `${total} cases wait for a review`
  const more = total - cases.length
  const text = [
    ...cases.flatMap(({ reviewCaseId, reviewTier, dueAt, expiresAt }) => [
      `${reviewTier}, due ${isoTime(dueAt)}, expires ${isoTime(expiresAt)}`,
      `${portalUrl}/cases/${reviewCaseId}`,
      '',
    ]),
    ...(more > 0 ? [`And ${more} more: ${portalUrl}/queue`, ''] : []),
    'You get one such mail in 15 minutes at most, for cases of the tiers high and urgent.',
    `Turn them off here: ${portalUrl}/me`,
  ].join('\n')
  return { to, subject, text }
}
