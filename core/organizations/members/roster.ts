import type { Put, Versioned } from '../../base/ports/store.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { type Member, type Roster, rosters } from '../access/records.ts'
import { beforeWeakeningMs } from '../authenticators/before-weakening.ts'

/** Whether the member is one of the tenant's admins: pending and suspended ones are not. */
export function isAdmin(member: Member): boolean {
  return member.status === 'Active' && member.role === 'CustomerAdmin'
}

/**
 * The put that a change of a member owes the tenant's row of admins, so that concurrent changes of the set conflict;
 * none where the set stays. Refuses with `last_admin` a change that leaves none.
 */
export function changeRoster(
  roster: Versioned<Roster>,
  before: Member,
  after: Member,
  now: number,
): Result<readonly Put[], 'last_admin'> {
  if (isAdmin(before) === isAdmin(after)) return ok([])
  const others = roster.row.admins.filter((memberId) => memberId !== after.memberId)
  const admins = isAdmin(after) ? [...others, after.memberId] : others
  if (admins.length === 0)
    return refuse('last_admin', 'expected another active CustomerAdmin; this is the last one')
  const { [after.memberId]: _, ...earlier } = roster.row.since ?? {}
  const { [after.memberId]: __, ...gone } = justLost(roster.row, now)
  const changed = isAdmin(after)
    ? { since: { ...earlier, [after.memberId]: now }, lost: gone }
    : { since: earlier, lost: { ...gone, [after.memberId]: now } }
  return ok([put(rosters, { ...roster.row, admins, ...changed }, roster)])
}

/**
 * The admins, and who lost their rights within a new admin's day: what takes several admins they are counted for, or one
 * session would take the others' rights and be all there are.
 */
export function countedAdmins(
  roster: Pick<Roster, 'admins' | 'lost'>,
  now: number,
): readonly string[] {
  return [...roster.admins, ...Object.keys(justLost(roster, now))]
}

/** When those lost the rights of an admin who did within a new admin's day, ms. */
function justLost(
  { lost = {} }: Pick<Roster, 'lost'>,
  now: number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(lost).filter(([, at]) => now - at < beforeWeakeningMs))
}
