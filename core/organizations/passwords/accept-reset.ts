import type { Versioned } from '../../base/ports/store.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, refusal, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one, put, unchanged } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { memberView } from '../access/present.ts'
import { type Member, members, type Tenant, tenants } from '../access/records.ts'
import type { LoginOutcome } from '../logins/login-throttle.ts'
import { accountSuspended } from '../logins/sessions.ts'
import type { Tries } from '../logins/tries.ts'
import { hashed } from '../members/new-member.ts'
import { withPassword } from './change-password.ts'
import { checkPassword } from './password.ts'
import { type PasswordReset, passwordResets, resetByToken } from './records.ts'
import type { PasswordUseCases } from './use-cases.ts'

/** `tries` are not those of logins: a wrong token delays nobody's login, and a delayed login no reset. */
export function acceptPasswordReset(
  deps: AccessDeps,
  tries: Pick<Tries, 'begin'>,
): PasswordUseCases['acceptPasswordReset'] {
  const { ledger, clock, passwords } = deps

  async function accept(
    token: string,
    password: string,
  ): ReturnType<PasswordUseCases['acceptPasswordReset']> {
    const known = await openReset(token, clock.now(), (reads) => ledger.read(null, reads))
    if (!known.ok) return known
    const hash = await hashed(passwords, password)
    if (!hash.ok) return hash
    return ledger.execute(null, async (unit) => {
      const open = await openReset(token, unit.now, unit.read)
      if (!open.ok) return refusal(open)
      const { reset, member, tenant } = open.value
      const { tenantId, memberId } = member.row
      const changed = withPassword(member.row, hash.value, unit.now)
      return commit(
        {
          checks: [unchanged(tenants, tenant)],
          puts: [
            put(passwordResets, { ...reset.row, open: 0 }, reset),
            put(members, changed, member),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: `member:${memberId}`,
              action: 'member.password_reset',
              subject: memberId,
              detail: {},
            }),
          ],
        },
        { member: memberView(changed), tenantId },
      )
    })
  }

  return async ({ token, password, ...caller }) => {
    const tried = await tries.begin(caller)
    if (!tried.ok) return tried
    let outcome: LoginOutcome = 'undecided'
    try {
      const malformed = refuseErrors(checkPassword(password, '/password'))
      const accepted = malformed ?? (await accept(token, password))
      if (accepted.ok) outcome = 'succeeded'
      else if (accepted.refusal.code === 'not_found') outcome = 'failed'
      return accepted
    } finally {
      tried.value(outcome)
    }
  }
}

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
): Promise<Result<OpenReset>> {
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

function unknownToken(): ReturnType<typeof refuse> {
  return refuse(
    'not_found',
    'expected the token of a reset as it was sent last, within an hour and before any use',
  )
}
