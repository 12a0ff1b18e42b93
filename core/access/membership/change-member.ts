import { audit } from '../../ledger/audit.ts'
import { refuseErrors, wrong } from '../../ledger/input-errors.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { answer, commit, type Plan, refusal } from '../../ledger/ledger.ts'
import { put } from '../../ledger/reads.ts'
import { type FieldError, ok, type Result, refuse } from '../../ledger/refusal.ts'
import { type Actor, actorName, permissions } from '../actor.ts'
import { authorizeMember } from '../authorize.ts'
import type { AccessDeps } from '../deps.ts'
import { executeAs } from '../execute-as.ts'
import { type Member, members } from '../records.ts'
import { checkRights } from './check-input.ts'
import { type LoadedMember, loadMember } from './load.ts'
import { memberRecordView } from './present.ts'
import { type Invitation, invitations } from './records.ts'
import { changeRoster } from './roster.ts'
import type { MembershipUseCases } from './use-cases.ts'
import type { MemberRecordView } from './view.ts'
import { withdrawnWith } from './withdraw-with-admin.ts'

/** What a command makes of a member: the row as it shall be, or null where nothing changes. */
type Decide = (member: Member) => Result<Member> | null

interface Change {
  readonly memberId: string
  /** Of the audit entry. */
  readonly action: string
  /** Of the input. */
  readonly faults?: readonly FieldError[]
}

/** Loads a member, lets a decision change them, and commits what follows. */
async function changeMember(
  deps: AccessDeps,
  actor: Actor,
  { memberId, action, faults = [] }: Change,
  decide: Decide,
): Promise<Result<MemberRecordView>> {
  const allowed = authorizeMember(actor, 'manageMembers')
  if (!allowed.ok) return allowed
  const malformed = refuseErrors(faults)
  if (malformed) return malformed
  return executeAs(deps.ledger, actor, 'manageMembers', async (unit, by) => {
    const loaded = await loadMember(unit, by.tenantId, memberId)
    if (!loaded.ok) return refusal(loaded)
    const { member, invitation } = loaded.value
    const decided = decide(member.row)
    if (!decided) return answer(memberRecordView(member.row, invitation?.row ?? null))
    if (!decided.ok) return refusal(decided)
    const next = { ...decided.value, updatedAt: unit.now }
    const withdrawn = await withdrawnWith(deps, unit, by, member.row, next)
    return changed(loaded.value, next, withdrawn, {
      at: isoTime(unit.now),
      actor: actorName(by),
      action,
      subject: memberId,
      detail: { role: next.role, permissions: next.granted.join(', '), status: next.status },
    })
  })
}

function changed(
  { member, roster, invitation }: LoadedMember,
  next: Member,
  withdrawn: Awaited<ReturnType<typeof withdrawnWith>>,
  entry: Parameters<typeof audit>[1],
): Plan<MemberRecordView> {
  const admins = changeRoster(roster, member.row, next)
  if (!admins.ok) return refusal(admins)
  const { role, granted } = next
  const invited: Invitation | null = invitation && { ...invitation.row, role, granted }
  return commit(
    {
      puts: [
        put(members, next, member),
        ...admins.value,
        ...(invited ? [put(invitations, invited, invitation)] : []),
        ...withdrawn.puts,
      ],
      removes: withdrawn.removes,
      appends: [audit(next.tenantId, entry), ...withdrawn.appends],
    },
    memberRecordView(next, invited),
  )
}

/** Ends the member's sessions, whose rights they were read with, and withdraws what invitations an admin made. */
export function setRole(deps: AccessDeps): MembershipUseCases['setRole'] {
  return async (actor, memberId, { role, permissions: given }) => {
    const granted = permissions.filter((one) => given.includes(one))
    const change = { memberId, action: 'member.role_set', faults: checkRights(role, given) }
    return changeMember(deps, actor, change, (member) => {
      const same = member.role === role && member.granted.join() === granted.join()
      const sessionVersion = member.sessionVersion + 1
      return same ? null : ok({ ...member, role, granted, sessionVersion })
    })
  }
}

/** Ends the member's sessions at once; their cases stay theirs until somebody takes them, their invitations don't. */
export function deactivateMember(deps: AccessDeps): MembershipUseCases['deactivateMember'] {
  return (actor, memberId, { confirm }) => {
    const faults = confirm === true ? [] : [wrong('/confirm', 'expected true')]
    const change = { memberId, action: 'member.deactivated', faults }
    return changeMember(deps, actor, change, (member) => {
      if (member.status === 'Suspended') return null
      if (member.status !== 'Active') return notActive(member)
      return ok({ ...member, status: 'Suspended', sessionVersion: member.sessionVersion + 1 })
    })
  }
}

export function reactivateMember(deps: AccessDeps): MembershipUseCases['reactivateMember'] {
  return (actor, memberId) =>
    changeMember(deps, actor, { memberId, action: 'member.reactivated' }, (member) => {
      if (member.status === 'Active') return null
      if (member.status !== 'Suspended') return notActive(member)
      return ok({ ...member, status: 'Active' })
    })
}

function notActive({ status }: Member): ReturnType<typeof refuse> {
  return refuse(
    'invalid_transition',
    `expected a member who is Active or Suspended, got ${status}: withdraw the invitation instead`,
  )
}
