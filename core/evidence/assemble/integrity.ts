import type { Seal } from '../../content/seal-records.ts'
import type { ProofView } from '../../content/view.ts'
import type { ReviewCase } from '../../review/records.ts'
import { proofView } from '../../sessions/present.ts'
import { type SealedCase, sealedCaseOf } from '../../sessions/seal/prove-case.ts'
import { leafOf, recordOf } from '../../sessions/seal/record.ts'
import type { EarlierSeal, EvidenceIntegrity, EvidenceMerkle } from '../model.ts'
import type { Contents } from './contents.ts'
import type { SessionFacts } from './facts.ts'

/** The proof of a seal. */
export function proofOf(
  { session, batches, anchors }: Pick<SessionFacts, 'session' | 'batches' | 'anchors'>,
  seal: Seal,
): ProofView {
  const batch = batches.get(seal.batchId)
  if (!batch)
    throw new Error(`the batch ${seal.batchId} of session ${session.sessionId} is not there`)
  const { anchorSequence } = batch
  const anchor = anchorSequence === null ? null : (anchors.get(anchorSequence) ?? null)
  return proofView(session, seal, batch, anchor)
}

/** The seal of one of the session's cases; null while it has none. */
export function sealedCase(
  { caseSeals, batches, anchors }: Pick<SessionFacts, 'caseSeals' | 'batches' | 'anchors'>,
  review: ReviewCase,
): SealedCase | null {
  const seal = caseSeals.get(review.reviewCaseId) ?? null
  const batch = batches.get(seal?.batchId ?? '') ?? null
  const anchor = anchors.get(batch?.anchorSequence ?? 0) ?? null
  return sealedCaseOf(review, seal, { batch, anchor })
}

/** The seal of the session as it is now; null while that revision waits for one. */
export function sealOf({ session, seals }: Pick<SessionFacts, 'session' | 'seals'>): Seal | null {
  return seals.find(({ revision }) => revision === session.revision) ?? null
}

/** How the document's session can be checked against its seals. */
export function integrityOf(facts: SessionFacts, contents: Contents): EvidenceIntegrity {
  const seal = sealOf(facts)
  const { leafInput, leafInputStatus } = seal
    ? leafInputOf(facts, seal, contents)
    : ({ leafInput: null, leafInputStatus: 'not_sealed' } as const)
  const { leafSource, leafHash, merkle, anchor, ...common } = sealedAs(facts)
  return { ...common, leafSource, leafInput, leafInputStatus, leafHash, merkle, anchor }
}

/** The session's seals, without the value that the leaf is made of. */
export function sealedAs(
  facts: SessionFacts,
): Omit<EvidenceIntegrity, 'leafInput' | 'leafInputStatus'> {
  const { session, seals } = facts
  const seal = sealOf(facts)
  const common = {
    canonicalization: 'RFC8785',
    hashAlgorithm: 'rfc9162-sha256',
    revision: session.revision,
    earlier: seals.filter((each) => each !== seal).map((each) => earlierSeal(facts, each)),
  } as const
  if (!seal) return { ...common, leafSource: null, leafHash: null, merkle: null, anchor: null }
  const proof = proofOf(facts, seal)
  return {
    ...common,
    leafSource: seal.head ? 'record' : 'submitted',
    leafHash: seal.leafHash,
    merkle: merkleOf(proof),
    anchor: proof.anchor,
  }
}

function leafInputOf(
  { session, steps }: SessionFacts,
  seal: Seal,
  contents: Contents,
): Pick<EvidenceIntegrity, 'leafInput' | 'leafInputStatus'> {
  if (seal.head)
    return {
      leafInput: recordOf(session, seal.revision, seal.head, steps),
      leafInputStatus: 'present',
    }
  const payload = session.payloads.find(({ field }) => field === 'submission')
  // What a redaction policy changed is not kept as it was sent.
  if (!payload) return { leafInput: null, leafInputStatus: 'redacted' }
  const text = contents.textOf(payload)
  if (text === null) return { leafInput: null, leafInputStatus: 'erased' }
  const leafInput: unknown = JSON.parse(text)
  const same = typeof leafInput === 'object' && leafInput && leafOf(leafInput) === seal.leafHash
  return same
    ? { leafInput, leafInputStatus: 'present' }
    : { leafInput: null, leafInputStatus: 'redacted' }
}

function earlierSeal(facts: SessionFacts, seal: Seal): EarlierSeal {
  const proof = proofOf(facts, seal)
  const { revision, leafHash, anchor } = proof
  return { revision, leafHash, merkle: merkleOf(proof), anchor }
}

function merkleOf(proof: ProofView): EvidenceMerkle {
  const { batchId, leafIndex, treeSize, inclusionPath, merkleRoot } = proof
  return { batchId, leafIndex, treeSize, inclusionPath, merkleRoot }
}
