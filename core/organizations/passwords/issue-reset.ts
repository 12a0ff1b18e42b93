import { actorName } from '../../kernel/callers/actor.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, refusal } from '../../kernel/ledger/ledger.ts'
import type { AccessDeps } from '../access/deps.ts'
import { executeAsStaff } from '../access/execute-as.ts'
import { newReset, resettable } from './new-reset.ts'
import type { PasswordResetView, PasswordUseCases } from './use-cases.ts'

/** Makes the link of a reset for the operator, who hands it over. */
export function issuePasswordReset(deps: AccessDeps): PasswordUseCases['issuePasswordReset'] {
  return (actor, { email }) => {
    const command = { actor, right: 'resetPasswords', tenantId: null } as const
    return executeAsStaff<PasswordResetView>(deps.ledger, command, async (unit, staff) => {
      const found = await resettable(unit, email)
      if (!found.ok) return refusal(found)
      const { resetUrl, expiresAt, set } = newReset(deps, unit, found.value)
      const { tenantId, memberId } = found.value.member.row
      return commit(set({ by: actorName(staff), sentAt: found.value.sent }), {
        tenantId,
        memberId,
        resetUrl,
        expiresAt: isoTime(expiresAt),
      })
    })
  }
}
