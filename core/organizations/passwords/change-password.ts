import { actorName, type MemberActor } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, refusal } from '../../kernel/ledger/ledger.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { emailKeyOf } from '../access/email.ts'
import { type Member, members } from '../access/records.ts'
import type { LoginView } from '../access/view.ts'
import { deviceSubject } from '../logins/devices.ts'
import { issue } from '../logins/login.ts'
import type { LoginOutcome } from '../logins/login-throttle.ts'
import type { Tries } from '../logins/tries.ts'
import { hashed, tooManyHashes } from '../members/new-member.ts'
import { checkPassword, isPossible, normalPassword } from './password.ts'
import type { PasswordUseCases } from './use-cases.ts'

type Input = Parameters<PasswordUseCases['changePassword']>[1]

/** Wrong passwords count against the member alone, so that they delay no login. */
export function changePassword(deps: AccessDeps, tries: Tries): PasswordUseCases['changePassword'] {
  const { ledger, passwords } = deps

  async function change(
    actor: MemberActor,
    { current, next, device, signal }: Input,
  ): Promise<Result<LoginView>> {
    const { tenantId, memberId } = actor
    const [found] = await ledger.read(tenantId, [get(members, [tenantId, memberId])])
    const before = one(members, found)?.row
    if (before?.status !== 'Active') return notActive()
    const { passwordHash } = before
    const matches =
      isPossible(current) &&
      (await passwords.verify(normalPassword(current), passwordHash, 'known', signal))
    if (matches === null) return tooManyHashes()
    if (!matches) return wrongPassword()
    const hash = await hashed(passwords, next)
    if (!hash.ok) return hash
    const changed = await ledger.execute<Member>(tenantId, async ({ now, read }) => {
      const [foundNow] = await read([get(members, [tenantId, memberId])])
      const was = one(members, foundNow)
      if (was?.row.status !== 'Active') return refusal(notActive())
      // Another change or a reset came first: what was checked is the password no more.
      if (was.row.passwordHash !== passwordHash) return refusal(wrongPassword())
      const member = withPassword(was.row, hash.value, now)
      return commit(
        {
          puts: [put(members, member, was)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'member.password_changed',
              subject: memberId,
              detail: {},
            }),
          ],
        },
        member,
      )
    })
    if (!changed.ok) return changed
    const subject = deviceSubject(emailKeyOf(changed.value.email))
    const known = await tries.devices.recognize(device)
    return issue(deps, changed.value, () =>
      tries.devices.issue(subject, known?.subject === subject ? known : null),
    )
  }

  return async (actor, input) => {
    const tried = await tries.begin(input, { device: `password of ${actor.memberId}` })
    if (!tried.ok) return tried
    let outcome: LoginOutcome = 'undecided'
    try {
      const malformed = refuseErrors(checkPassword(input.next, '/next'))
      const changed = malformed ?? (await change(actor, input))
      if (changed.ok) outcome = 'succeeded'
      else if (changed.refusal.code === 'invalid_credentials') outcome = 'failed'
      return changed
    } finally {
      tried.value(outcome)
    }
  }
}

/** The member with another password, whose sessions and resets of before end. */
export function withPassword(member: Member, passwordHash: string, now: number): Member {
  return { ...member, passwordHash, sessionVersion: member.sessionVersion + 1, updatedAt: now }
}

function wrongPassword(): ReturnType<typeof refuse> {
  return refuse('invalid_credentials', 'the current password is wrong')
}

function notActive(): ReturnType<typeof refuse> {
  return refuse('authentication_required', 'the member is no longer active')
}
