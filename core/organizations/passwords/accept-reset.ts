import type { Versioned } from '../../base/ports/store.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one, unchanged } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { anyText } from '../../kernel/shape.ts'
import { caller } from '../access/caller.ts'
import { joinedShape, memberView } from '../access/present.ts'
import { type Member, members, type Tenant, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { hashed } from '../members/new-member.ts'
import { withPassword } from './change-password.ts'
import { checkPassword } from './password.ts'
import { type PasswordReset, passwordResets, resetByToken } from './records.ts'

const { command } = operationsWith<AccessTools>()

/**
 * Chooses a password by the token of a reset, which is good once and for an hour, and ends all sessions of the member.
 * Its tries are not those of logins: a wrong token delays nobody's login, and a delayed login no reset.
 */
export const acceptPasswordReset = command({
  name: 'auth.acceptPasswordReset',
  doc: 'Choose a password by the token of a reset, and end all sign-ins',
  by: 'anyone',
  right: null,
  takes: { token: anyText(longest.secret), password: anyText(longest.password), ...caller },
  gives: joinedShape,
  refuses: ['not_found', 'account_suspended', 'too_many_attempts', 'busy'],
  around: ({ tools }, input, run) =>
    tools.tries.resets.count(
      input,
      { failure: 'not_found' },
      async () => refuseErrors(checkPassword(input.password, '/password')) ?? run(),
    ),
  async prepare({ read, orRefuse, tools: { clock, passwords } }, { token, password }) {
    orRefuse(await openReset(token, clock.now(), read))
    return orRefuse(await hashed(passwords, password))
  },
  async run(unit, { token }, passwordHash) {
    const { reset, member, tenant } = unit.orRefuse(await openReset(token, unit.now, unit.read))
    const { tenantId, memberId } = member.row
    const { closesPassword, ...rest } = withPassword(member.row, passwordHash, unit.now)
    const changed = {
      ...rest,
      // Who lost their passkey, and has no other admin, is let in again by staff.
      ...(closesPassword && !reset.row.byStaff && { closesPassword }),
      passwordResetAt: unit.now,
    }
    unit.put(passwordResets, { ...reset.row, open: 0 }, reset)
    unit.put(members, changed, member)
    unit.include({ checks: [unchanged(tenants, tenant)] })
    unit.audit('member.password_reset', memberId, {}, tenantId, `member:${memberId}`)
    return { member: memberView(changed), tenantId }
  },
})

interface OpenReset {
  readonly reset: Versioned<PasswordReset>
  readonly member: Versioned<Member>
  readonly tenant: Versioned<Tenant>
}

/** The reset of a token that is good now. Refuses with `not_found`, `account_suspended`. */
async function openReset(
  token: string,
  now: number,
  read: UnitOfWork['read'],
): Promise<Result<OpenReset, 'not_found' | 'account_suspended'>> {
  const [found] = await read([resetByToken(token)])
  const reset = one(passwordResets, found)
  if (!reset || now >= reset.row.expiresAt) return unknownToken()
  const { tenantId, memberId, sessionVersion } = reset.row
  const [foundMember, foundTenant] = await read([
    get(members, [tenantId, memberId]),
    get(tenants, [tenantId]),
  ])
  const member = one(members, foundMember)
  const tenant = one(tenants, foundTenant)
  if (!tenant || member?.row.status !== 'Active') return unknownToken()
  if (member.row.sessionVersion !== sessionVersion) return unknownToken()
  if (tenant.row.status !== 'active') return accountSuspended()
  return ok({ reset, member, tenant })
}

function unknownToken(): ReturnType<typeof refuse<'not_found'>> {
  return refuse(
    'not_found',
    'expected the token of a reset as it was sent last, within an hour and before any use',
  )
}
