import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { refuse } from '../../kernel/ledger/refusal.ts'
import { Afterwards, operationsWith } from '../../kernel/operation.ts'
import { anyText } from '../../kernel/shape.ts'
import { caller } from '../access/caller.ts'
import { emailKeyOf } from '../access/email.ts'
import { loginShape } from '../access/present.ts'
import { type Member, members } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { deviceSubject } from '../logins/devices.ts'
import { issue } from '../logins/login.ts'
import { hashed, tooManyHashes } from '../members/new-member.ts'
import { checkPassword, isPossible, normalPassword } from './password.ts'

const { command } = operationsWith<AccessTools>()

/**
 * Changes the member's own password, ends all their sessions and issues one in place of the caller's, as signed in by the
 * same means. Wrong passwords count against the member alone, so that they delay no login.
 */
export const changePassword = command({
  name: 'auth.changePassword',
  doc: 'Change the own password, and end all other sign-ins',
  right: null,
  takes: { current: anyText(longest.password), next: anyText(longest.password), ...caller },
  gives: loginShape,
  refuses: [
    'invalid_credentials',
    'too_many_attempts',
    'authentication_required',
    'account_suspended',
    'busy',
  ],
  around: ({ by, tools }, input, run) =>
    tools.tries.logins.count(
      input,
      // A throttle key of the member's own, of the kind that devices have; no login has the same.
      { keys: { device: `password of ${by.memberId}` }, failure: 'invalid_credentials' },
      async () => refuseErrors(checkPassword(input.next, '/next')) ?? run(),
    ),
  async prepare({ by, ask, orRefuse, tools: { passwords } }, { current, next, signal }) {
    const { member } = await ask({ member: members.get(by.tenantId, by.memberId) })
    if (member?.row.status !== 'Active') return orRefuse(notActive())
    const before = member.row.passwordHash
    const matches =
      isPossible(current) &&
      (await passwords.verify(normalPassword(current), before, 'known', signal))
    if (matches === null) return orRefuse(tooManyHashes())
    if (!matches) return orRefuse(wrongPassword())
    return { before, after: orRefuse(await hashed(passwords, next)) }
  },
  async run(unit, { device }, { before, after }) {
    const { tools, by } = unit
    const { was } = await unit.ask({ was: members.get(by.tenantId, by.memberId) })
    if (was?.row.status !== 'Active') return unit.orRefuse(notActive())
    // Another change or a reset came first: the password that was checked is no longer the current one.
    if (was.row.passwordHash !== before) return unit.orRefuse(wrongPassword())
    const member = withPassword(was.row, after, unit.now)
    unit.put(members, member, was)
    unit.audit('member.password_changed', by.memberId, {})
    const { email } = member
    return new Afterwards(async () => {
      const returning = await tools.tries.logins.devices.returning({ email, device })
      const subject = deviceSubject(emailKeyOf(email))
      const { passkeyId: authenticatorId, providerAt } = by
      return unit.orRefuse(
        await issue(tools, member, subject, returning, {
          ...(authenticatorId !== undefined && { authenticatorId }),
          ...(providerAt !== undefined && { providerAt: Math.floor(providerAt / 1000) }),
        }),
      )
    })
  },
})

/** The member with a new password. The raised session version ends their earlier sessions and resets. */
export function withPassword(member: Member, passwordHash: string, now: number): Member {
  return { ...member, passwordHash, sessionVersion: member.sessionVersion + 1, updatedAt: now }
}

function wrongPassword(): ReturnType<typeof refuse<'invalid_credentials'>> {
  return refuse('invalid_credentials', 'the current password is wrong')
}

function notActive(): ReturnType<typeof refuse<'authentication_required'>> {
  return refuse('authentication_required', 'the member is no longer active')
}
