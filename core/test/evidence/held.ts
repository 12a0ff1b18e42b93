import {
  type EvidenceDocument,
  type EvidenceKeys,
  type KnownEvidence,
  readEvidenceKeys,
  verdictOf,
  verifyDocument,
  witnessOf,
} from '@countersign/core/evidence'
import { sampleEvidenceKey } from '@countersign/core/testing'

export const signer = sampleEvidenceKey(new Uint8Array(32).fill(7))
const keys = readEvidenceKeys(signer.jwk) as EvidenceKeys

export function proofOf({ integrity, session, application }: EvidenceDocument): object {
  const { leafHash, revision, merkle, anchor } = integrity
  const { sessionId } = session
  const { applicationId } = application
  return { sessionId, applicationId, revision, leafHash, ...merkle, anchor }
}

/** What an auditor may hold from before. */
export const held: Readonly<Record<string, (document: EvidenceDocument) => unknown>> = {
  'the document': (document) => document,
  'a proof': proofOf,
  'a certificate': (document) => ({ proof: proofOf(document) }),
  'the entry of the ledger': ({ integrity }) => integrity.anchor,
  'a page of the ledger': ({ integrity }) => ({ anchors: [integrity.anchor], page: 1 }),
  'the batch': ({ integrity, application, session }) => [
    {
      ...{ ...integrity.merkle, applicationId: application.applicationId },
      leaves: [{ sessionId: session.sessionId, revision: 1, leafHash: integrity.leafHash }],
    },
  ],
  'the proof of a case': ({ reviewCases: [review] }) => ({
    ...review?.integrity.merkle,
    ...review?.integrity.leafInput,
    ...{ leafHash: review?.integrity.leafHash, anchor: review?.integrity.anchor },
  }),
  'the root': ({ integrity }) => integrity.merkle?.merkleRoot,
  'the head of the ledger': ({ integrity }) => integrity.anchor?.entryHash,
}

export const bareHashes = new Set(['the root', 'the head of the ledger'])

export function judge(document: object, known: KnownEvidence | null) {
  const findings = verifyDocument(document, keys, { known })
  return { verdict: verdictOf(findings), witness: witnessOf(findings), findings }
}
