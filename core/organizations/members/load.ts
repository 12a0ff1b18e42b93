import type { Found, Read, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { everyRow, get, list, many, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { type Member, members, type Roster, rosters } from '../access/records.ts'
import { hashKeyText } from '../api-keys/key-text.ts'
import { invitationStatus } from './invitation.ts'
import { type Invitation, invitations } from './records.ts'

/** A member with the tenant's admins and, while pending, their invitation. */
export interface LoadedMember {
  readonly member: Versioned<Member>
  readonly roster: Versioned<Roster>
  readonly invitation: Versioned<Invitation> | null
}

/** Loads a member. Refuses with `not_found`. */
export async function loadMember(
  unit: Pick<UnitOfWork, 'read'>,
  tenantId: string,
  memberId: string,
): Promise<Result<LoadedMember, 'not_found'>> {
  const [foundMember, foundRoster] = await unit.read([
    get(members, [tenantId, memberId]),
    get(rosters, [tenantId]),
  ])
  const member = one(members, foundMember)
  const roster = one(rosters, foundRoster)
  if (!member || !roster) return refuse('not_found', 'no such member')
  const { status, invitationId } = member.row
  const isPending = status === 'Pending invitation' && invitationId !== undefined
  const [found] = isPending ? await unit.read([get(invitations, [tenantId, invitationId])]) : []
  return ok({ member, roster, invitation: one(invitations, found) })
}

/** An invitation with its pending member, null where it has ended. */
export interface LoadedInvitation {
  readonly invitation: Versioned<Invitation>
  readonly member: Versioned<Member> | null
}

/** Loads an invitation. Refuses with `not_found`. */
export async function loadInvitation(
  unit: Pick<UnitOfWork, 'read'>,
  tenantId: string,
  invitationId: string,
): Promise<Result<LoadedInvitation, 'not_found'>> {
  const [found] = await unit.read([get(invitations, [tenantId, invitationId])])
  const invitation = one(invitations, found)
  if (!invitation) return refuse('not_found', 'no such invitation')
  return ok({ invitation, member: await pendingMemberOf(unit, invitation.row) })
}

/** Members with a pending invitation; also with an expired one until its expiry is recorded. */
export function pendingMembersOf(
  tenantId: string,
  page: { readonly take: number; readonly count?: boolean },
): Read {
  return list(members, {
    by: 'byStatus',
    where: [
      ['tenantId', '=', tenantId],
      ['status', '=', 'Pending invitation'],
    ],
    ...page,
  })
}

/** The invitations of a tenant that have not ended, with their members. */
export async function pendingInvitations(
  unit: Pick<UnitOfWork, 'read'>,
  tenantId: string,
): Promise<readonly LoadedInvitation[]> {
  const [found] = await unit.read([pendingMembersOf(tenantId, { take: everyRow })])
  const waiting = many(members, found)
  const answers = await unit.read(
    waiting.map(({ row }) => get(invitations, [tenantId, row.invitationId ?? ''])),
  )
  return waiting.flatMap((member, at) => {
    const invitation = one(invitations, answers[at])
    return invitation ? [{ invitation, member }] : []
  })
}

/** The member that waits for this invitation. */
export async function pendingMemberOf(
  unit: Pick<UnitOfWork, 'read'>,
  { tenantId, memberId, status }: Invitation,
): Promise<Versioned<Member> | null> {
  if (status !== 'pending') return null
  const [found] = await unit.read([get(members, [tenantId, memberId])])
  return one(members, found)
}

/** Reads the pending invitation to an address, and the tenant's member who has that address. */
export function invitedOf(tenantId: string, emailKey: string): readonly [Read, Read] {
  return [
    list(invitations, {
      where: [
        ['tenantId', '=', tenantId],
        ['emailKey', '=', emailKey],
        ['status', '=', 'pending'],
      ],
      take: 1,
    }),
    list(members, {
      where: [
        ['tenantId', '=', tenantId],
        ['emailKey', '=', emailKey],
      ],
      take: 1,
    }),
  ]
}

/** Finds an invitation by the token that was sent last. */
export function byToken(token: string): Read {
  return list(invitations, { where: [['tokenHash', '=', hashKeyText(token)]], take: 1 })
}

/** The pending invitation of a token. Refuses with `not_found`, `invitation_expired`. */
export function openInvitation(
  found: Found | undefined,
  now: number,
): Result<Versioned<Invitation>, 'not_found' | 'invitation_expired'> {
  const invitation = one(invitations, found)
  if (!invitation) return unknownToken()
  const status = invitationStatus(invitation.row, now)
  if (status === 'pending') return ok(invitation)
  return refuse('invitation_expired', `expected a pending invitation, got one that is ${status}`)
}

export function unknownToken(): ReturnType<typeof refuse<'not_found'>> {
  return refuse('not_found', 'expected the token of an invitation as it was sent last')
}
