import type { Clock } from '../../base/ports/clock.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { mapped, Refused } from '../../kernel/query.ts'
import { line, type OutsOf, oneOf, type RowsOf, time } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { fromOne } from '../../kernel/usual.ts'
import { orNull } from '../../kernel/wrap.ts'
import type { IssuerKeys } from '../../keys/issuer-keys.ts'
import { keySetShape } from '../../keys/key-set.ts'
import { type IssuerKeyRing, issuerKeyRings } from '../../keys/records.ts'
import { upkeepOf } from '../../keys/rotate-keys.ts'
import { base64Url } from '../../proof/signing/encoding.ts'
import { formatPublicKey } from '../../proof/signing/key-text.ts'
import type { EvidenceSigners } from './evidence-keys.ts'
import { type EvidenceKeyRing, evidenceKeyRings } from './records.ts'

/** What signing keys are rotated with. */
export interface KeyTools {
  readonly clock: Pick<Clock, 'now'>
  readonly keys: Pick<IssuerKeys, 'rotated'>
  readonly signers: Pick<EvidenceSigners, 'rotated' | 'keySet'>
}

const { command, reading } = operationsWith<KeyTools>()

const shown = {
  /** Events and callbacks, or evidence. */
  use: oneOf(['webhooks', 'evidence']),
  /** From 1, raised by each rotation. */
  keyVersion: fromOne,
  /** `whpk_…`; of evidence the `x` of its JSON Web Key. */
  publicKey: line(longest.id),
  /** When it begins to sign. */
  signsFrom: time,
  /** Until when the key before it signs too; null where it signs no more. */
  previousSignsUntil: orNull(time),
}
const signingKey = object(shown, 'SigningKey')

/** The newest signing key of a use. */
export interface SigningKeyView extends OutsOf<typeof shown> {}

/** The newest key of each use that anything was signed for. */
export const listSigningKeys = reading({
  name: 'signingKeys.list',
  doc: 'List the newest signing key of each use',
  right: 'readSigningKeys',
  takes: {},
  gives: object({ signingKeys: listOf(signingKey) }, 'SigningKeys'),
  refuses: [],
  async run({ by: { tenantId }, tools, ask }) {
    const { issuer, evidence } = await ask({
      issuer: issuerKeyRings.get(tenantId),
      evidence: evidenceKeyRings.get(tenantId),
    })
    return {
      signingKeys: [
        ...(issuer ? [ofWebhooks(issuer.row, tools.clock.now())] : []),
        ...(evidence ? [ofEvidence(evidence.row)] : []),
      ],
    }
  },
})

/** Rotates the key of a use: that of webhooks is published 24 h before it signs, that of evidence signs immediately. */
export const rotateSigningKey = command({
  name: 'signingKeys.rotate',
  doc: 'Rotate the key that signs events, or the one that signs evidence',
  right: 'rotateSigningKeys',
  takes: { use: shown.use },
  gives: signingKey,
  refuses: ['not_found', 'already_rotating'],
  run: (unit, { use }) => (use === 'evidence' ? rotateEvidence(unit) : rotateWebhooks(unit)),
})

/** Signing keys of an organization (interface, Signing key). */
export const signingKeyOperations = [listSigningKeys, rotateSigningKey] as const

/** The public keys that verify evidence of an organization, all that ever signed, newest first. */
export const readEvidenceKeySet = reading({
  name: 'evidenceKeys.read',
  doc: "Read the tenant's public evidence keys as a JWK set",
  by: 'anyone',
  right: null,
  takes: { tenantId: line(longest.id) },
  gives: keySetShape,
  refuses: ['not_found'],
  run: async ({ tools, orRefuse }, { tenantId }) => orRefuse(await tools.signers.keySet(tenantId)),
})

type Rotation = Unit<MemberActor, 'not_found' | 'already_rotating', KeyTools>

async function rotateWebhooks(unit: Rotation): Promise<SigningKeyView> {
  const nothing = new Refused('not_found', 'nothing of this organization is signed yet')
  const { was } = await unit.ask({
    was: mapped(issuerKeyRings.get(unit.by.tenantId), (ring) => ring ?? nothing),
  })
  const ring = unit.orRefuse(unit.tools.keys.rotated(unit, was.row))
  const view = ofWebhooks(ring, unit.now)
  unit.put(issuerKeyRings, ring, was)
  unit.wake(upkeepOf(ring, unit.now))
  const { keyVersion, signsFrom } = view
  unit.audit('issuer_key.rotation_started', String(keyVersion), { signsFrom })
  return view
}

async function rotateEvidence(unit: Rotation): Promise<SigningKeyView> {
  const nothing = new Refused('not_found', 'no evidence of this organization is signed yet')
  const { was } = await unit.ask({
    was: mapped(evidenceKeyRings.get(unit.by.tenantId), (ring) => ring ?? nothing),
  })
  const ring = unit.tools.signers.rotated(unit, was.row)
  const keyVersion = ring.keys.length
  unit.put(evidenceKeyRings, ring, was)
  unit.audit('evidence_key.rotated', ring.keys.at(-1)?.keyId ?? '', { keyVersion })
  return ofEvidence(ring)
}

function ofWebhooks({ keys }: IssuerKeyRing, now: number): SigningKeyView {
  const [newest, previous] = keys.toReversed()
  if (!newest) throw new Error('a ring has a key')
  const until = previous?.signsUntil ?? null
  return shownKey({
    use: 'webhooks',
    keyVersion: newest.version,
    publicKey: formatPublicKey(newest.publicKey),
    // The first key signs whatever the clock says, so that it has no time of its own.
    signsFrom: Math.max(newest.signsFrom, newest.publishedAt),
    previousSignsUntil: until !== null && until > now ? until : null,
  })
}

function ofEvidence({ keys }: EvidenceKeyRing): SigningKeyView {
  const newest = keys.at(-1)
  if (!newest) throw new Error('a ring has a key')
  return shownKey({
    use: 'evidence',
    keyVersion: keys.length,
    publicKey: base64Url(newest.publicKey),
    signsFrom: newest.createdAt,
    previousSignsUntil: null,
  })
}

function shownKey(key: RowsOf<typeof shown>): SigningKeyView {
  return showAll(shown, key)
}
