import { utf8ToBytes } from '@noble/hashes/utils.js'
import { credentialAlgorithms } from '../../base/ports/authenticators.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { most } from '../../kernel/ledger/limits.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { base64Url } from '../../proof/signing/encoding.ts'
import type { EnrolmentAllowance, Member, Roster } from '../access/records.ts'
import { countedAdmins } from '../members/roster.ts'
import { challengeMs, challengeTime, type Purpose } from './challenges.ts'
import type { Authenticator, AuthenticatorUse } from './records.ts'
import type { RelyingParty } from './relying-party.ts'

/** From a reset of the password to when a first authenticator is enrolled again, ms. */
export const afterResetMs: number = 24 * 60 * 60_000

/** From the mail of an enrolment link to its end, ms. */
export const enrolmentLinkMs: number = 60 * 60_000

/**
 * By what a registration was begun: the password or a sign-in by the provider, an authenticator that was there, or the
 * link that is mailed when none is left.
 */
export const standings = ['first', 'further', 'lost'] as const
/** One of `standings`. */
export type Standing = (typeof standings)[number]

/** Whether the organization's provider signed the member in so lately that no password is asked for. */
export function isFresh({ providerAt }: MemberActor, now: number): boolean {
  return providerAt !== undefined && now - providerAt < challengeMs
}

/** The refusal of a sign-in by the provider that is not fresh. */
export function notFresh(): ReturnType<typeof refuse<'forbidden'>> {
  return refuse('forbidden', 'expected a sign-in by the provider within 5 minutes')
}

/** Whether a token is that of the last link that was mailed to the member, within its hour. */
export function isEnrolmentLink(
  { sealer }: { readonly sealer: Sealer },
  token: string,
  member: Member,
  own: readonly unknown[],
  now: number,
): boolean {
  return challengeTime(sealer, token, enrolmentPurpose(member, own), now, enrolmentLinkMs) !== null
}

/** Admins who allow another authenticator to a member who signs decisions and has none left. */
const allowingAdmins = 2
/** From the first admin who allows it to when the allowance ends, ms. */
const allowanceMs = 24 * 60 * 60_000

/**
 * The allowance of a member who has no authenticator left after `by`, an admin or the member, revoked the last one or
 * asked again; and whether the link may be mailed. It takes two admins, or as many others as there are or were a moment
 * ago.
 */
export function allowedBy(
  member: Member,
  roster: Pick<Roster, 'admins' | 'lost'>,
  by: string,
  now: number,
): { readonly allowed: EnrolmentAllowance; readonly isEnough: boolean } {
  const isOther = (memberId: string) => memberId !== member.memberId
  const others = roster.admins.filter(isOther)
  const counted = countedAdmins(roster, now).filter(isOther)
  const before = member.enrolmentAllowed
  const { admins: earlier, from } =
    before && now - before.from < allowanceMs ? before : { admins: [], from: now }
  const allowing = others.filter((memberId) => memberId === by || earlier.includes(memberId))
  const needed = member.signsDecisions ? Math.min(allowingAdmins, counted.length) : 0
  return { allowed: { admins: allowing, from }, isEnough: allowing.length >= needed }
}

/** What an enrolment link is bound to: with one more authenticator it is spent. */
export function enrolmentPurpose(
  { tenantId, memberId }: Pick<Member, 'tenantId' | 'memberId'>,
  own: readonly unknown[],
): Purpose {
  return ['enrolment', tenantId, memberId, own.length]
}

/**
 * What a challenge of a registration is bound to: a change of the password or of rights ends it, and so does an enrolment,
 * its own among them, and a revocation, for it was signed by an authenticator that may be the one.
 */
export function registrationPurpose(
  { tenantId, memberId, sessionVersion }: Member,
  own: readonly Versioned<Authenticator>[],
  use: AuthenticatorUse,
  standing: Standing,
): Purpose {
  const revoked = own.filter(({ row }) => row.revokedAt !== null)
  const counted = [own.length, revoked.length]
  return ['registration', tenantId, memberId, sessionVersion, ...counted, use, standing]
}

/**
 * Whether the member may enrol one more, by what they have now. Refuses with `signature_required`, `forbidden`,
 * `authenticator_limit`.
 */
export function mayEnrol(
  member: Member,
  own: readonly Versioned<Authenticator>[],
  standing: Standing,
  now: number,
): Result<null, 'signature_required' | 'forbidden' | 'authenticator_limit'> {
  const active = own.filter(({ row }) => row.revokedAt === null)
  if (active.length >= most.authenticators)
    return refuse(
      'authenticator_limit',
      `you have ${active.length} authenticators, expected fewer than ${most.authenticators}`,
    )
  // Those that were revoked stay, and so does the list of them short.
  if (own.length >= most.authenticatorsEver)
    return refuse(
      'authenticator_limit',
      `you enrolled ${own.length} authenticators, expected fewer than ${most.authenticatorsEver}`,
    )
  if (standing === 'further')
    return active.length > 0
      ? ok(null)
      : refuse('signature_required', 'expected an authenticator that signs for another')
  if (active.length > 0)
    return refuse('signature_required', 'expected an assertion of an authenticator that is there')
  if (own.length > 0 && standing === 'first')
    return refuse(
      'forbidden',
      'neither a password nor a provider enrols more than the first authenticator, and there was one',
    )
  const { passwordResetAt = 0 } = member
  if (now - passwordResetAt < afterResetMs)
    return refuse(
      'forbidden',
      'the password was reset within 24 hours: no authenticator is enrolled so soon',
      {
        retryAfter: Math.ceil((passwordResetAt + afterResetMs - now) / 1000),
      },
    )
  return ok(null)
}

/**
 * The WebAuthn user whose credential it is, in unpadded base64url: another for each use, for an authenticator keeps one
 * passkey a user, and a new one would replace that of the other use.
 */
export function userIdOf({ memberId }: Pick<Member, 'memberId'>, use: AuthenticatorUse): string {
  return base64Url(utf8ToBytes(`${use}:${memberId}`))
}

/** `PublicKeyCredentialCreationOptionsJSON` for a member's new authenticator. */
export function creationOptions(
  { rpId }: RelyingParty,
  member: Member,
  asked: {
    readonly use: AuthenticatorUse
    readonly challenge: string
    readonly attestation: 'none' | 'direct'
  },
  own: readonly Versioned<Authenticator>[],
): object {
  const { email } = member
  const { use, challenge, attestation } = asked
  return {
    challenge,
    rp: { id: rpId, name: 'Countersign' },
    // What the browser lists where several passkeys could be meant.
    user: {
      id: userIdOf(member, use),
      name: use === 'signing' ? `${email} (signs decisions)` : email,
      displayName: member.name ?? email,
    },
    pubKeyCredParams: credentialAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeMs,
    attestation,
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: own
      .filter(({ row }) => row.use === use)
      .map(({ row }) => ({ id: row.credentialId, type: 'public-key' })),
  }
}
