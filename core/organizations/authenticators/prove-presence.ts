import type { Versioned } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { challengeOf } from '../../proof/webauthn/statement.ts'
import { verifySignedChallenge } from '../../proof/webauthn/verify-assertion.ts'
import type { AccessTools } from '../access/tools.ts'
import { type ChangeAssertion, type ChangeStatement, used } from './assertion.ts'
import { challengeMs, challengeTime, issueChallenge } from './challenges.ts'
import type { Authenticator } from './records.ts'
import { requestOptions } from './relying-party.ts'

/** A change that an authenticator signs. */
export type Change = Pick<ChangeStatement, 'change' | 'subject' | 'settingDigest'>

type Issuing = Pick<AccessTools, 'sealer' | 'random' | 'relyingParty'>

/** The statement that a member signs for a change, and how a browser is asked for the signature. */
export function changeStatement(
  tools: Issuing,
  { tenantId, memberId }: Pick<MemberActor, 'tenantId' | 'memberId'>,
  { change, subject, settingDigest }: Change,
  made: { readonly now: number; readonly asked: readonly Authenticator[] },
) {
  const nonce = issueChallenge(tools, purposeOf({ tenantId, memberId }), made.now)
  const statement: ChangeStatement = {
    statementVersion: '1.0',
    statementType: 'authenticator-change',
    ...{ tenantId, memberId, change, subject, settingDigest },
    issuedAt: isoTime(made.now),
    nonce,
  }
  return {
    statement,
    options: requestOptions(tools.relyingParty, challengeOf(statement), made.asked),
    expiresAt: isoTime(made.now + challengeMs),
  }
}

/**
 * The member's authenticator as it is after its assertion for a change. Refuses with `signature_invalid`,
 * `authenticator_revoked`, `authenticator_cloned`.
 */
export function proved(
  tools: Pick<AccessTools, 'sealer' | 'relyingParty'>,
  { tenantId, memberId }: Pick<MemberActor, 'tenantId' | 'memberId'>,
  asked: {
    readonly expected: Change
    readonly assertion: ChangeAssertion
    readonly now: number
    /** Whether the statement has been used. */
    readonly isSpent: boolean
  },
  own: readonly Versioned<Authenticator>[],
): Result<
  { readonly was: Versioned<Authenticator>; readonly row: Authenticator },
  'signature_invalid' | 'authenticator_revoked' | 'authenticator_cloned'
> {
  const { assertion, expected, now, isSpent } = asked
  const { statement } = assertion
  const was = own.find(({ row }) => row.credentialId === assertion.credentialId)
  if (!was || was.row.revokedAt !== null)
    return refuse('authenticator_revoked', 'expected an assertion of one of your authenticators')
  const wanted = { tenantId, memberId, ...expected }
  const other = Object.entries(wanted).find(
    ([name, value]) => statement[name as keyof typeof wanted] !== value,
  )
  if (other) return invalid('expected', `expected a statement with another ${other[0]}`)
  const issued = challengeTime(
    tools.sealer,
    statement.nonce,
    purposeOf({ tenantId, memberId }),
    now,
  )
  if (issued === null || isoTime(issued) !== statement.issuedAt || isSpent)
    return invalid(
      'nonce',
      'expected a statement that was issued within 5 minutes, and not used yet',
    )
  const verified = verifySignedChallenge({
    challenge: challengeOf(statement),
    signature: assertion,
    credential: was.row,
    rpId: was.row.rpId,
    origins: tools.relyingParty.origins,
  })
  if (!verified.ok) return invalid(verified.check, verified.detail)
  const row = used(was, assertion.authenticatorData, now)
  return row.ok ? ok({ was, row: row.value }) : row
}

/** The refusal of a signature by the check that failed. */
export function invalid(
  check: string,
  detail: string,
): ReturnType<typeof refuse<'signature_invalid'>> {
  return refuse('signature_invalid', detail, { facts: { check } })
}

function purposeOf({ tenantId, memberId }: Pick<MemberActor, 'tenantId' | 'memberId'>) {
  return ['authenticator change', tenantId, memberId]
}
