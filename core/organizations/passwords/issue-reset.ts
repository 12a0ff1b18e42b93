import { actorName } from '../../kernel/callers/actor.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { one } from '../../kernel/ledger/reads.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { anyText, line, type Named, type OutsOf, text, time } from '../../kernel/shape.ts'
import type { AccessDeps } from '../access/deps.ts'
import { members } from '../access/records.ts'
import { memberByEmail } from '../members/new-member.ts'
import { newReset, noneResettable, resettable } from './new-reset.ts'

const shownReset = {
  tenantId: line(longest.id),
  memberId: line(longest.id),
  /** Has the token behind `#`. */
  resetUrl: text(longest.url),
  expiresAt: time,
}
/** A link with which a member chooses another password. */
export interface PasswordResetView extends OutsOf<typeof shownReset> {}
const resetShape: Named<typeof shownReset, PasswordResetView> = object(shownReset, 'PasswordReset')

/** Makes the link of a reset, without a mail: staff hands it over. */
export const issuePasswordReset = operationsWith<Pick<AccessDeps, 'portalUrl'>>().command({
  name: 'auth.issuePasswordReset',
  doc: 'Make the link of a reset, without a mail',
  by: 'staff',
  right: 'resetPasswords',
  takes: { email: anyText(longest.email) },
  gives: resetShape,
  refuses: ['not_found', 'account_suspended'],
  async prepare({ read, orRefuse }, { email }) {
    const [found] = await read([memberByEmail(email)])
    return one(members, found)?.row.tenantId ?? orRefuse<string>(noneResettable())
  },
  within: (tenantId) => tenantId,
  async run(unit, { email }) {
    const found = unit.orRefuse(await resettable(unit, email, 'staff'))
    const { resetUrl, expiresAt, set } = newReset(unit.tools, unit, found)
    unit.include(set({ by: actorName(unit.by), sentAt: found.sent }))
    const { tenantId, memberId } = found.member.row
    return { tenantId, memberId, resetUrl, expiresAt: isoTime(expiresAt) }
  },
})
