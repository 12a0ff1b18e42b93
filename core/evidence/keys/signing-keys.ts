import type { Clock } from '../../base/ports/clock.ts'
import { type Actor, actorName } from '../../kernel/callers/actor.ts'
import { authorizeMember } from '../../kernel/callers/authorize.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/ledger/iso-time.ts'
import { commit, type Ledger, refusal } from '../../kernel/ledger/ledger.ts'
import { one, put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { ringOf } from '../../keys/issuer-keys.ts'
import { type IssuerKeyRing, issuerKeyRings } from '../../keys/records.ts'
import type { KeyUseCases } from '../../keys/use-cases.ts'
import { executeAs } from '../../organizations/access/execute-as.ts'
import { base64Url } from '../../proof/signing/encoding.ts'
import { formatPublicKey } from '../../proof/signing/key-text.ts'
import { type EvidenceSigners, evidenceRingOf } from './evidence-keys.ts'
import { type EvidenceKeyRing, evidenceKeyRings } from './records.ts'

/** What a tenant's signing keys are for: events and callbacks, or evidence. */
export const signingUses = ['webhooks', 'evidence'] as const
/** One of `signingUses`. */
export type SigningUse = (typeof signingUses)[number]

/** The newest signing key of a use; times are ISO 8601 UTC. */
export interface SigningKeyView {
  readonly use: SigningUse
  /** From 1, raised by each rotation. */
  readonly keyVersion: number
  /** `whpk_…`; of evidence the `x` of its JSON Web Key. */
  readonly publicKey: string
  /** When it begins to sign. */
  readonly signsFrom: string
  /** Until when the key before it signs too; null where it signs no more. */
  readonly previousSignsUntil: string | null
}

/** The tenant's signing keys. Each call may refuse as `Service` says besides. */
export interface SigningKeyUseCases {
  /** The newest key of each use that anything was signed for. Refuses nothing of its own. */
  list(actor: Actor): Promise<Result<readonly SigningKeyView[]>>
  /**
   * Rotates the key of a use: webhooks' is published 24 h before it signs, evidence's signs at once. Refuses with
   * `invalid_request`, `not_found` before anything was signed, and for webhooks `already_rotating`.
   */
  rotate(actor: Actor, use: SigningUse): Promise<Result<SigningKeyView>>
}

export function createSigningKeys(deps: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly signers: Pick<EvidenceSigners, 'rotated'>
  readonly rotateKeys: KeyUseCases['rotateKeys']
}): SigningKeyUseCases {
  const { ledger, clock, signers, rotateKeys } = deps

  function rotateEvidence(actor: Actor): Promise<Result<SigningKeyView>> {
    return executeAs<SigningKeyView>(ledger, actor, 'rotateSigningKeys', async (unit, by) => {
      const { tenantId } = by
      const [found] = await unit.read([evidenceRingOf(tenantId)])
      const was = one(evidenceKeyRings, found)
      if (!was)
        return refusal(refuse('not_found', 'no evidence of this organization is signed yet'))
      const ring = signers.rotated(unit, was.row)
      const entry = audit(tenantId, {
        at: isoTime(unit.now),
        actor: actorName(by),
        action: 'evidence_key.rotated',
        subject: ring.keys.at(-1)?.keyId ?? '',
        detail: { keyVersion: ring.keys.length },
      })
      return commit(
        { puts: [put(evidenceKeyRings, ring, was)], appends: [entry] },
        ofEvidence(ring),
      )
    })
  }

  return {
    async list(actor) {
      const member = authorizeMember(actor, 'readSigningKeys')
      if (!member.ok) return member
      const { tenantId } = member.value
      const [webhooks, evidence] = await ledger.read(tenantId, [
        ringOf(tenantId),
        evidenceRingOf(tenantId),
      ])
      const issuer = one(issuerKeyRings, webhooks)
      const ring = one(evidenceKeyRings, evidence)
      return ok([
        ...(issuer ? [ofWebhooks(issuer.row, clock.now())] : []),
        ...(ring ? [ofEvidence(ring.row)] : []),
      ])
    },
    async rotate(actor, use) {
      const member = authorizeMember(actor, 'rotateSigningKeys')
      if (!member.ok) return member
      if (!signingUses.includes(use))
        return refuseErrors([wrong('/use', `expected one of ${signingUses.join(', ')}`)])
      if (use === 'evidence') return rotateEvidence(actor)
      const rotated = await rotateKeys(actor)
      return rotated.ok ? ok({ use, ...rotated.value }) : rotated
    },
  }
}

function ofWebhooks({ keys }: IssuerKeyRing, now: number): SigningKeyView {
  const [newest, previous] = keys.toReversed()
  if (!newest) throw new Error('a ring has a key')
  const until = previous?.signsUntil ?? null
  return {
    use: 'webhooks',
    keyVersion: newest.version,
    publicKey: formatPublicKey(newest.publicKey),
    // The first key signs whatever the clock says, so that it has no time of its own.
    signsFrom: isoTime(Math.max(newest.signsFrom, newest.publishedAt)),
    previousSignsUntil: isoTimeOrNull(until !== null && until > now ? until : null),
  }
}

function ofEvidence({ keys }: EvidenceKeyRing): SigningKeyView {
  const newest = keys.at(-1)
  if (!newest) throw new Error('a ring has a key')
  return {
    use: 'evidence',
    keyVersion: keys.length,
    publicKey: base64Url(newest.publicKey),
    signsFrom: isoTime(newest.createdAt),
    previousSignsUntil: null,
  }
}
