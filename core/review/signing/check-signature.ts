import type { SigningRule } from '../../applications/signing-rule.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { used } from '../../organizations/authenticators/assertion.ts'
import { challengeTime, type Purpose } from '../../organizations/authenticators/challenges.ts'
import { invalid } from '../../organizations/authenticators/prove-presence.ts'
import type { Authenticator } from '../../organizations/authenticators/records.ts'
import type { ExpectedStatement } from '../../proof/webauthn/statement.ts'
import { verifyAssertion } from '../../proof/webauthn/verify-assertion.ts'
import type { DecidingHost } from '../deps.ts'
import type { ReviewCase } from '../records.ts'
import type { GivenSignature, StoredSignature } from './shapes.ts'

/** What the nonce of a statement is bound to, beside its time of issue. */
export function statementPurpose(
  { tenantId, reviewCaseId }: Pick<ReviewCase, 'tenantId' | 'reviewCaseId'>,
  memberId: string,
): Purpose {
  return ['review decision', tenantId, reviewCaseId, memberId]
}

/** A signature that verifies, and the authenticator after it. */
export interface Signed {
  readonly signature: StoredSignature
  readonly authenticator: { readonly was: Versioned<Authenticator>; readonly row: Authenticator }
}

/** Why a signature is none of the decision. */
export type SignatureCode = 'signature_invalid' | 'authenticator_revoked' | 'authenticator_cloned'

/** Verifies a signature of a decision by an authenticator of its member. */
export function checkSignature(
  { sealer, relyingParty }: Pick<DecidingHost, 'sealer' | 'relyingParty'>,
  given: GivenSignature,
  held: {
    readonly expected: ExpectedStatement
    readonly own: readonly Versioned<Authenticator>[]
    readonly rule: SigningRule
    readonly now: number
  },
): Result<Signed, SignatureCode> {
  const { expected, own, rule, now } = held
  const { nonces: _, ...signature } = given
  const was = own.find(({ row }) => row.credentialId === signature.credentialId)
  if (!was || was.row.revokedAt !== null || was.row.use !== 'signing')
    return refuse(
      'authenticator_revoked',
      'expected the signature of an authenticator that you enrolled for signing and did not revoke',
    )
  const { nonce, issuedAt } = signature.statement
  const issued = challengeTime(sealer, nonce, statementPurpose(expected, expected.memberId), now)
  if (issued === null || isoTime(issued) !== issuedAt)
    return invalid('nonce', 'expected a statement that was issued to you within 5 minutes')
  const verified = verifyAssertion({
    expected,
    signature,
    credential: was.row,
    rpId: was.row.rpId,
    origins: relyingParty.origins,
    refuseSynced: rule.refuseSynced,
  })
  if (!verified.ok) return invalid(verified.check, verified.detail)
  const row = used(was, signature.authenticatorData, now)
  if (!row.ok) return row
  const { publicKey } = was.row
  return ok({ signature: { ...signature, publicKey }, authenticator: { was, row: row.value } })
}
