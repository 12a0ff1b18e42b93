import type { Versioned } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { list, one } from '../../kernel/ledger/reads.ts'
import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import { type Query, queryOf } from '../../kernel/query.ts'
import type { Listed } from '../../kernel/table.ts'
import type { Unit } from '../../kernel/unit.ts'
import { settingDigest } from '../../proof/webauthn/statement.ts'
import { type Member, members, rosters, spentStatements } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { countLetter } from '../members/count-letter.ts'
import { isAdmin } from '../members/roster.ts'
import { tellAdmins } from '../members/tell-admins.ts'
import type { ChangeAssertion } from './assertion.ts'
import { issueChallenge } from './challenges.ts'
import { type Change, proved } from './prove-presence.ts'
import {
  type Authenticator,
  type AuthenticatorView,
  authenticators,
  authenticatorView,
} from './records.ts'
import { allowedBy, enrolmentPurpose } from './registration.ts'
import { mayWeaken } from './weakening.ts'

/** A member's authenticators, revoked ones too, the oldest first. */
export function ownOf(tenantId: string, memberId: string): Query<Listed<Authenticator>> {
  return authenticators.by('key', { tenantId, memberId })
}

/** The authenticator with this credential, of whatever member. */
export function enrolled(credentialId: string): Query<Versioned<Authenticator> | null> {
  const where = [['credentialId', '=', credentialId] as const]
  return queryOf([list(authenticators, { where, take: 1 })], ([found]) =>
    one(authenticators, found),
  )
}

/**
 * The caller with their authenticators. Each change of these writes the member's row too, which so is a check of the
 * commit for all of them.
 */
export async function self(
  unit: Unit<MemberActor, 'authentication_required' | RefusalCode, AccessTools>,
): Promise<{
  readonly member: Versioned<Member>
  readonly own: readonly Versioned<Authenticator>[]
}> {
  const { tenantId, memberId } = unit.by
  const { member, own } = await unit.ask({
    member: members.get(tenantId, memberId),
    own: ownOf(tenantId, memberId),
  })
  if (member?.row.status !== 'Active')
    return unit.refuse('authentication_required', 'the member is no longer active')
  return { member, own: own.rows }
}

type ProofCode = 'signature_invalid' | 'authenticator_revoked' | 'authenticator_cloned'

/** What a proof needs of the host. */
export type Proving = Pick<AccessTools, 'sealer' | 'relyingParty'>

/** Tells the other admins of an authenticator of an admin that none of theirs signed for. */
export async function tellOtherAdmins<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code, AccessTools>,
  member: Member,
): Promise<void> {
  if (!isAdmin(member)) return
  await tellAdmins(unit, member.tenantId, 'authenticator_added', {
    about: member.memberId,
    but: member.email,
    text: `${member.email} added an authenticator by their password, their provider or a mailed link. In 24 hours it can sign for settings that ask for fewer signatures of decisions. If it was not they, revoke it on the page of the organization before.`,
  })
}

/** Tells the other admins that an admin revoked an authenticator of another one. */
export async function tellOfRevocation<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code, AccessTools>,
  member: Member,
): Promise<void> {
  if (!isAdmin(member)) return
  const { tenantId, email } = member
  const { actor } = await unit.ask({ actor: members.get(tenantId, unit.by.memberId) })
  await tellAdmins(unit, tenantId, 'authenticator_revoked', {
    about: member.memberId,
    but: email,
    text: `${actor?.row.email ?? unit.by.memberId} revoked an authenticator of ${email}, who is an admin. If nobody meant this, someone may act in the name of who did.`,
  })
}

/** The authenticator that proves a change by its assertion, before and after. The statement is good for no other use. */
export async function provingOf<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code | ProofCode, Proving>,
  expected: Change,
  assertion: ChangeAssertion,
  own: readonly Versioned<Authenticator>[],
): Promise<{ readonly was: Versioned<Authenticator>; readonly row: Authenticator }> {
  const { now, tools, by } = unit
  const { tenantId } = by
  const { nonce } = assertion.statement
  // Two uses at the same time meet in this row.
  const { spent } = await unit.ask({ spent: spentStatements.get(tenantId, nonce) })
  const asked = { expected, assertion, now, isSpent: spent !== null }
  const proving = unit.orRefuse(proved(tools, by, asked, own))
  unit.put(spentStatements, { tenantId, nonce, spentAt: now })
  return proving
}

/** As `provingOf`, and records the use of the authenticator. */
export async function proveChange<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code | ProofCode, Proving>,
  expected: Change,
  assertion: ChangeAssertion,
  own: readonly Versioned<Authenticator>[],
): Promise<Authenticator> {
  const { was, row } = await provingOf(unit, expected, assertion, own)
  unit.put(authenticators, row, was)
  return row
}

/**
 * Ends the operation unless the assertion is for all that it sets, by an authenticator that lets fewer signatures do. Its
 * use is recorded.
 */
export async function proveWeakening<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code | ProofCode | 'signature_required', Proving>,
  set: { readonly operation: string; readonly subject: string; readonly value: object },
  assertion: ChangeAssertion,
  own: readonly Versioned<Authenticator>[],
): Promise<void> {
  const { operation, subject, value } = set
  const digest = settingDigest(operation, value)
  const expected = { change: 'weaken', subject, settingDigest: digest } as const
  const signer = await proveChange(unit, expected, assertion, own)
  unit.orRefuse(mayWeaken(signer, unit.now))
}

/**
 * Revokes an authenticator, and tells its member. Who has none left gets a link that enrols one within an hour, once
 * enough admins allow it: who ever enrolled one decides nothing without. `used`: the row after the assertion that it
 * gave for its own removal.
 */
export async function revoke<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code, AccessTools>,
  member: Versioned<Member>,
  was: Versioned<Authenticator>,
  own: readonly Versioned<Authenticator>[],
  used: Authenticator = was.row,
): Promise<AuthenticatorView> {
  const { now } = unit
  const row = { ...used, revokedAt: now }
  unit.put(authenticators, row, was)
  const { memberId, use, credentialId, authenticatorId, name } = row
  unit.audit('authenticator.revoked', authenticatorId, { memberId, use, credentialId })
  unit.mail({
    to: member.row.email,
    subject: 'An authenticator of your account was revoked',
    text: `"${name}" can no longer ${use === 'signing' ? 'sign decisions' : 'sign in'} in your name. If you did not ask for it, tell an admin of your organization.\n`,
  })
  const left = own.filter(
    ({ row }) => row.revokedAt === null && row.authenticatorId !== authenticatorId,
  )
  const { closesPassword: _, ...rest } = member.row
  const after = left.some(({ row }) => row.use === 'sign_in') ? member.row : rest
  if (left.length === 0) await allowAnother(unit, member, own, after)
  else unit.put(members, { ...after, updatedAt: now }, member)
  return authenticatorView(row)
}

/**
 * Has the caller allow another authenticator to a member who has none left, if they are another admin. Mails the link
 * that enrols it where enough of them do, else tells the admins that one more is waited for. `after`: the member without
 * what was revoked.
 */
export async function allowAnother<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code, AccessTools>,
  member: Versioned<Member>,
  own: readonly Versioned<Authenticator>[],
  after: Member = member.row,
): Promise<void> {
  const { now, by } = unit
  const { tenantId, memberId, email } = member.row
  const { roster } = await unit.ask({ roster: rosters.get(tenantId) })
  const { allowed, isEnough } = allowedBy(
    member.row,
    roster?.row ?? { admins: [] },
    by.memberId,
    now,
  )
  unit.put(members, { ...after, enrolmentAllowed: allowed, updatedAt: now }, member)
  // Where as many were mailed as may be, the last of them is good for as long as it was; one enrolment more ends them all.
  const about = `${memberId} with ${own.length}`
  const counted = { kind: 'enrolment link', about, inAll: false }
  const isMailed = isEnough && (await countLetter(unit, tenantId, counted)) !== null
  const detail = { admins: allowed.admins.join(', '), isMailed }
  if (allowed.admins.includes(by.memberId))
    unit.audit('authenticator.enrolment_allowed', memberId, detail)
  if (isMailed) mailEnrolmentLink(unit, member.row, own)
  if (isEnough) return
  await tellAdmins(unit, tenantId, 'enrolment_waits', {
    about: memberId,
    text: `None of the authenticators of ${email} is left. Two admins who have made sure that it is they who ask send them the link that enrols another, each from the page of the organization within 24 hours; ${allowed.admins.length} did.`,
  })
}

/** Mails a member who has no authenticator left the link that enrols one. */
function mailEnrolmentLink<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code, AccessTools>,
  member: Member,
  own: readonly Versioned<Authenticator>[],
): void {
  const { now, tools } = unit
  const token = issueChallenge(tools, enrolmentPurpose(member, own), now)
  unit.mail({
    to: member.email,
    subject: 'Enrol another authenticator',
    text: `None of your authenticators is left, and you decide nothing without one. Log in, and within an hour open\n\n${tools.portalUrl}/me#${token}\n\nIt is good once. If you did not lose yours, tell an admin of your organization.\n`,
  })
}
