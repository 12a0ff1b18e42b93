import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { type EvidenceSigner, signDocument } from '../../proof/sign.ts'
import type { ErasureCertificate, ErasureCounts, ErasureRequest } from './records.ts'

/** What an erasure leaves, and why; part of every certificate. */
export const retained = [
  'Merkle roots and anchors, which lead back to no person once the content is unreadable',
  'lists of the leaves under each Merkle root: ids of sessions, also of sessions that were removed since, digests of leaves and ids of review cases',
  'digests of erased content, each over a random nonce that was erased with it',
  'structure of sessions and steps without content: ids, pseudonyms, times, types, names, models, counts, results of policies, scores',
  'review cases without texts and documents: ids, pseudonyms, states, times, digests, ids of members, name and role of who decided; their leaves under Merkle roots, which hold ids, states, times and digests',
  'annotations, flags and session reviews without texts: ids, kinds, verdicts, times, names of reviewers',
  'the erasure request, legal holds and the audit log: pseudonyms and ids',
  'events that were sent or are still being sent, which hold ids and no content, for 30 days; what their receivers keep is in their hands',
  'ids of packages that expired, for 30 days',
  'backups made before the completion, until their own end; they hold the destroyed keys',
] as const

/** The signed certificate of an erasure, made once, when it is completed. */
export function erasureCertificateOf(
  request: ErasureRequest,
  done: {
    readonly organizationName: string
    readonly completedAt: number
    readonly counts: ErasureCounts
  },
  signer: EvidenceSigner,
): ErasureCertificate {
  const { tenantId, erasureRequestId, dataSubjectId, applicationIds, requestedAt } = request
  const certificate: ErasureCertificate = {
    certificateVersion: '1.0',
    certificateType: 'erasure',
    organizationName: done.organizationName,
    tenantId,
    erasureRequestId,
    dataSubjectId,
    applicationIds,
    requestedAt: isoTime(requestedAt),
    completedAt: isoTime(done.completedAt),
    method: 'crypto-shredding',
    counts: { ...done.counts },
    retained,
    signatures: [],
  }
  return signDocument(certificate, signer)
}
