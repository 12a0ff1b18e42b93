import {
  type Invitation,
  invitations,
  type Member,
  members,
  rosters,
} from '@countersign/core/internal'
import { type Committed, of, type Transition, type Truth } from '../truth.ts'
import type { World } from '../world.ts'

/** Members and invitations (interface, Member): what holds of every change of them. */
export function checkMembers(world: World, truth: Truth, committed: Committed): void {
  const changed = of(members, committed.transitions)
  const invited = of(invitations, committed.transitions)
  for (const change of changed) checkMember(world, invited, change)
  for (const change of invited) checkInvitation(world, changed, change)
  const setup = committed.by === 'setup'
  if (changed.length > 0 && !setup && (committed.set.appends ?? []).length === 0)
    world.broken('acts are audited', `${changed.map(({ key }) => key).join()} without an entry`)
  const tenants = new Set([
    ...changed.flatMap(({ before, after }) => (after ?? before)?.row.tenantId ?? []),
    ...of(rosters, committed.transitions).map(({ key }) => key),
  ])
  for (const tenantId of tenants) checkAdmins(world, truth, committed, tenantId)
}

/** The row of the admins says who they are, and there is one. */
function checkAdmins(
  world: World,
  truth: Truth,
  { transitions }: Committed,
  tenantId: string,
): void {
  const rows = new Map([...truth.rows(members)].map(([key, { row }]) => [key, row]))
  for (const { key, after } of of(members, transitions))
    if (after) rows.set(key, after.row)
    else rows.delete(key)
  const active = [...rows.values()]
    .filter((row) => row.tenantId === tenantId && row.status === 'Active')
    .filter(({ role }) => role === 'CustomerAdmin')
    .map(({ memberId }) => memberId)
  const moved = of(rosters, transitions).find(({ key }) => key === tenantId)
  const roster = moved ? moved.after?.row : truth.rows(rosters).get(tenantId)?.row
  if (active.length === 0) world.broken('an admin stays', `${tenantId} has no admin left`)
  if (roster?.admins.toSorted().join() !== active.toSorted().join())
    world.broken('an admin stays', `${tenantId} has the admins ${active.join()}, its row others`)
}

function checkMember(
  world: World,
  invited: readonly Transition<Invitation>[],
  { key, before, after }: Transition<Member>,
): void {
  const was = before?.row
  if (!after) {
    const isEnded = invited.some(
      (one) => one.after?.row.memberId === was?.memberId && one.after?.row.status !== 'pending',
    )
    if (was?.status !== 'Pending invitation' || !isEnded)
      world.broken('an invitation is taken once', `${key} is removed, and was ${was?.status}`)
    return
  }
  const { row } = after
  if (!was) return
  const wrong = (detail: string) =>
    world.broken('an ended session opens nothing', `${key}: ${detail}`)
  if (row.sessionVersion < was.sessionVersion) wrong('its sessions hold again')
  const isSuspended = was.status === 'Active' && row.status !== 'Active'
  const hasOtherRights = was.role !== row.role || was.granted.join() !== row.granted.join()
  if ((isSuspended || hasOtherRights) && row.sessionVersion === was.sessionVersion)
    wrong(`${row.status} as ${row.role}, and its sessions hold`)
  if (was.status !== 'Pending invitation' || row.status === 'Pending invitation') return
  const accepts = invited.some(
    (one) =>
      one.before?.row.status === 'pending' &&
      one.after?.row.status === 'accepted' &&
      one.after.row.memberId === row.memberId,
  )
  if (row.status !== 'Active' || !accepts)
    world.broken('an invitation is taken once', `${key} joins without an invitation that ends`)
}

function checkInvitation(
  world: World,
  changed: readonly Transition<Member>[],
  { key, before, after }: Transition<Invitation>,
): void {
  const wrong = (detail: string) => world.broken('an invitation is taken once', `${key}: ${detail}`)
  const [was, is] = [before?.row.status, after?.row.status]
  if (is === undefined || was === is) return
  if (was === undefined ? is !== 'pending' : was !== 'pending') wrong(`${was} became ${is}`)
  const joins = changed.some(
    (one) => one.after?.row.status === 'Active' && one.after.row.memberId === after?.row.memberId,
  )
  if (is === 'accepted' && !joins) wrong('is accepted, and nobody joins')
}
