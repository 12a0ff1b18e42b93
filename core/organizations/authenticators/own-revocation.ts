import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { Member, Roster } from '../access/records.ts'
import { countedAdmins } from '../members/roster.ts'

/**
 * Whether a member may revoke an authenticator of theirs without an assertion, which whoever took over their session has
 * not. Another admin revokes one that was lost; the only one has nobody to ask, and gives their password. Who took the
 * rights of the others a moment ago is not the only one yet.
 */
export function mayRevokeByPassword(
  { memberId }: Pick<Member, 'memberId'>,
  roster: Pick<Roster, 'admins' | 'lost'>,
  now: number,
): Result<null, 'signature_required'> {
  const isOnly = countedAdmins(roster, now).every((each) => each === memberId)
  return isOnly && roster.admins.length > 0 ? ok(null) : needsAssertion()
}

/** The refusal of a revocation of an own authenticator that another admin can do. */
export function needsAssertion(): ReturnType<typeof refuse<'signature_required'>> {
  return refuse(
    'signature_required',
    'expected an assertion of one of your authenticators; one that was lost is revoked by another admin',
  )
}
