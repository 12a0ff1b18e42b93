import type { Versioned } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { SigningModel } from '../../organizations/access/records.ts'
import { used } from '../../organizations/authenticators/assertion.ts'
import { challengeTime, type Purpose } from '../../organizations/authenticators/challenges.ts'
import { invalid } from '../../organizations/authenticators/prove-presence.ts'
import type { Authenticator } from '../../organizations/authenticators/records.ts'
import { maySign } from '../../organizations/authenticators/signing-models.ts'
import { SigningKeyError } from '../../proof/signing/key-error.ts'
import type { SignedBytes } from '../../proof/webauthn/assertion-key.ts'
import { checkAssertion, wrongSignature } from '../../proof/webauthn/check-assertion.ts'
import { ecdsaSignature } from '../../proof/webauthn/ecdsa-signature.ts'
import { verifySignedBytes } from '../../proof/webauthn/portable-signatures.ts'
import type { SigningRule } from '../../proof/webauthn/signing-rule.ts'
import type { ExpectedStatement } from '../../proof/webauthn/statement.ts'
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
export type SignatureCode =
  | 'signature_invalid'
  | 'authenticator_revoked'
  | 'authenticator_not_allowed'
  | 'authenticator_cloned'

/** Verifies a signature of a decision by an authenticator of its member. */
export function checkSignature(
  host: Pick<DecidingHost, 'sealer' | 'relyingParty' | 'authenticators' | 'primitives'>,
  given: GivenSignature,
  held: {
    readonly expected: ExpectedStatement
    readonly own: readonly Versioned<Authenticator>[]
    readonly rule: SigningRule
    readonly models: readonly SigningModel[]
    readonly now: number
  },
): Result<Signed, SignatureCode> {
  const { sealer, relyingParty } = host
  const { expected, own, rule, models, now } = held
  const { nonces: _, ...signature } = given
  const was = own.find(({ row }) => row.credentialId === signature.credentialId)
  if (!was || was.row.revokedAt !== null || was.row.use !== 'signing')
    return refuse(
      'authenticator_revoked',
      'expected the signature of an authenticator that you enrolled for signing and did not revoke',
    )
  const allowed = maySign(models, was.row)
  if (!allowed.ok) return allowed
  const { nonce, issuedAt } = signature.statement
  const issued = challengeTime(sealer, nonce, statementPurpose(expected, expected.memberId), now)
  if (issued === null || isoTime(issued) !== issuedAt)
    return invalid('nonce', 'expected a statement that was issued to you within 5 minutes')
  const checked = checkAssertion({
    expected,
    signature,
    credential: was.row,
    rpId: was.row.rpId,
    origins: relyingParty.origins,
    refuseSynced: rule.refuseSynced,
    sha256: host.primitives.sha256,
  })
  if (!checked.ok) return invalid(checked.check, checked.detail)
  if (!isRight(host, checked.left, was.row))
    return invalid(wrongSignature.check, wrongSignature.detail)
  const row = used(was, signature.authenticatorData, now)
  if (!row.ok) return row
  const { publicKey } = was.row
  return ok({ signature: { ...signature, publicKey }, authenticator: { was, row: row.value } })
}

/** Verifies bytes of a signature by the fastest code that is there; all of it takes the same ones. */
function isRight(
  { authenticators, primitives }: Pick<DecidingHost, 'authenticators' | 'primitives'>,
  left: SignedBytes,
  { publicKey }: Authenticator,
): boolean {
  const { key, signed, signature } = left
  if (key.algorithm === 'EdDSA') return isByPoint(primitives, key.point, left)
  if (!authenticators?.verifySignature) return verifySignedBytes(left)
  if (key.algorithm === 'ES256' && ecdsaSignature(signature) === null) return false
  return authenticators.verifySignature({ publicKey, signed, signature })
}

function isByPoint(
  primitives: DecidingHost['primitives'],
  point: Uint8Array,
  { signed, signature }: SignedBytes,
): boolean {
  try {
    return primitives.ed25519Verifier(point)('', signed, signature)
  } catch (error) {
    // A point that signs for anybody.
    if (error instanceof SigningKeyError) return false
    throw error
  }
}
