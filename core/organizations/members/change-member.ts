import type { MemberActor } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { just, line } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import type { AccessDeps } from '../access/deps.ts'
import { type Member, members } from '../access/records.ts'
import { isBreakGlass, signInProviders } from '../providers/records.ts'
import { followAdmins } from './follow-admins.ts'
import { loadMember } from './load.ts'
import {
  type MemberRecordView,
  memberRecordShape,
  memberRecordView,
  memberRights,
} from './present.ts'
import { type Invitation, invitations } from './records.ts'
import { changeRoster, isAdmin } from './roster.ts'
import { withdrawWith } from './withdraw-with-admin.ts'

type Tools = Pick<AccessDeps, 'endsWithAdmin'>
const { command } = operationsWith<Tools>()
const id = { memberId: line(longest.id) }
const common = { right: 'manageMembers', gives: memberRecordShape } as const

/**
 * Sets role and granted permissions, of a pending member too, and ends their sessions, whose rights they were read with.
 * Withdraws the pending invitations of who is an admin no more. Who becomes an admin, or no longer is one, is mailed to all
 * who were.
 */
export const setRole = command({
  ...common,
  name: 'members.setRole',
  doc: 'Set role and permissions of a member, and end their sessions',
  takes: { ...id, ...memberRights },
  refuses: ['not_found', 'last_admin'],
  run: (unit, { memberId, role, permissions: granted }) =>
    changeMember(unit, memberId, 'member.role_set', (member) => {
      const same = member.role === role && member.granted.join() === granted.join()
      const sessionVersion = member.sessionVersion + 1
      return same ? null : ok({ ...member, role, granted, sessionVersion })
    }),
})

/**
 * Suspends a member and ends their sessions immediately; a suspended one stays as they are. Their cases stay theirs until
 * somebody takes them, their pending invitations don't. That of an admin is mailed to them and the others.
 */
export const deactivateMember = command({
  ...common,
  name: 'members.deactivate',
  doc: 'Suspend a member and end their sessions at once',
  takes: { ...id, confirm: just(true) },
  refuses: ['not_found', 'last_admin', 'invalid_transition'],
  run: (unit, { memberId }) =>
    changeMember(unit, memberId, 'member.deactivated', (member) => {
      if (member.status === 'Suspended') return null
      if (member.status !== 'Active') return notActive(member)
      return ok({ ...member, status: 'Suspended', sessionVersion: member.sessionVersion + 1 })
    }),
})

/** Lets a suspended member log in again; an admin, of which the others are told by mail. */
export const reactivateMember = command({
  ...common,
  name: 'members.reactivate',
  doc: 'Let a suspended member log in again',
  takes: id,
  refuses: ['not_found', 'last_admin', 'invalid_transition'],
  run: (unit, { memberId }) =>
    changeMember(unit, memberId, 'member.reactivated', (member) => {
      if (member.status === 'Active') return null
      if (member.status !== 'Suspended') return notActive(member)
      return ok({ ...member, status: 'Active' })
    }),
})

/** Loads a member, lets a decision change them (null: nothing changes), and collects what follows. */
async function changeMember<Code extends 'last_admin' | 'invalid_transition'>(
  unit: Unit<MemberActor, Code | 'not_found' | 'last_admin', Tools>,
  memberId: string,
  action: string,
  decide: (member: Member) => Result<Member, Code> | null,
): Promise<MemberRecordView> {
  const { by } = unit
  const { member, roster, invitation } = unit.orRefuse(
    await loadMember(unit, by.tenantId, memberId),
  )
  const decided = decide(member.row)
  if (!decided) return memberRecordView(member.row, invitation?.row ?? null)
  const next = { ...unit.orRefuse(decided), updatedAt: unit.now }
  const admins = unit.orRefuse(changeRoster(roster, member.row, next, unit.now))
  if (isAdmin(member.row) && !isAdmin(next)) {
    const { provider } = await unit.ask({ provider: signInProviders.get(by.tenantId) })
    if (provider && isBreakGlass(provider.row, memberId))
      return unit.orRefuse(
        refuse(
          'last_admin',
          "expected another admin to be named in the sign-in provider's settings; this one alone may log in by password",
        ),
      )
  }
  const { role, granted } = next
  const invited: Invitation | null = invitation && { ...invitation.row, role, granted }
  unit.put(members, next, member)
  unit.include({ puts: admins })
  if (invited) unit.put(invitations, invited, invitation)
  const detail = { role, permissions: granted.join(', '), status: next.status }
  unit.audit(action, memberId, detail)
  await withdrawWith(unit, member.row, next)
  await followAdmins(unit, member.row, next)
  return memberRecordView(next, invited)
}

function notActive({ status }: Member): ReturnType<typeof refuse<'invalid_transition'>> {
  return refuse(
    'invalid_transition',
    `expected a member who is Active or Suspended, got ${status}: withdraw the invitation instead`,
  )
}
