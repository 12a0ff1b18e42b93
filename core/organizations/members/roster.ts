import type { Put, Versioned } from '../../base/ports/store.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { type Member, type Roster, rosters } from '../access/records.ts'

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
  const since = isAdmin(after) ? { ...earlier, [after.memberId]: now } : earlier
  return ok([put(rosters, { ...roster.row, admins, since }, roster)])
}
