import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { merkleTree } from '../base/merkle/tree.ts'
import type { StoredSession, StoredStep } from '../content/records.ts'
import type { Anchor, Batch } from '../content/seal-records.ts'
import {
  type AnchorView,
  type BatchView,
  type PayloadView,
  type ProofView,
  type SessionView,
  type StepView,
  shownAnchor,
  shownSession,
  shownStep,
} from '../content/view.ts'
import { showAll } from '../kernel/members.ts'

const dayMs = 86_400_000

/** When retention removes a session (ms). */
export function removeAfterOf(
  { completedAt, lastReceivedAt }: StoredSession,
  retentionDays: number,
): number {
  return (completedAt ?? lastReceivedAt) + retentionDays * dayMs
}

/** A session without its metadata. */
export function sessionView(
  session: StoredSession,
  of: { readonly openReviewCases: number; readonly retentionDays: number },
): SessionView {
  const { startedAt, tally, quality } = session
  const endedAt = session.status === 'running' ? null : session.endedAt
  return showAll(shownSession, {
    ...session,
    endedAt,
    durationMs: endedAt === null ? null : endedAt - startedAt,
    metadata: null,
    stepCount: tally.steps,
    errorCount: tally.errors,
    inputTokens: tally.inputTokens,
    outputTokens: tally.outputTokens,
    qualityScore: quality === null ? null : quality / 10,
    openReviewCases: of.openReviewCases,
    removeAfter: removeAfterOf(session, of.retentionDays),
  })
}

export function stepView(step: StoredStep, payload: PayloadView | null): StepView {
  return showAll(shownStep, { ...step, payload })
}

export function batchView({ batchId, merkleRoot, leaves }: Batch): BatchView {
  const accepted = leaves.filter(({ status }) => status === 'accepted').length
  return {
    batchId,
    merkleRoot,
    treeSize: leaves.length,
    accepted,
    duplicates: leaves.length - accepted,
    sessions: leaves.map(({ sessionId, leafHash, status, reviewCaseIds }, leafIndex) => ({
      sessionId,
      leafIndex,
      leafHash,
      status,
      reviewCaseIds,
    })),
  }
}

/** The anchor of a batch; `anchor` is null while it waits for one. */
export function anchorView(
  { nonce, commitment }: Pick<Batch, 'commitment'> & { readonly nonce: string | null },
  anchor: Anchor | null,
): AnchorView {
  if (anchor) return showAll(shownAnchor, { ...anchor, anchorVersion: '1.0', nonce })
  return showAll(shownAnchor, { ...noEntry, commitment, nonce, status: 'pending' })
}

const noEntry = {
  anchorVersion: null,
  ledger: null,
  sequence: null,
  previousHash: null,
  anchoredAt: null,
  keyId: null,
  signature: null,
  entryHash: null,
}

/** The proof of one leaf of a batch. */
export function proofView(
  session: Pick<StoredSession, 'sessionId' | 'applicationId'>,
  { revision, leafIndex, leafHash }: { revision: number; leafIndex: number; leafHash: string },
  batch: Batch,
  anchor: Anchor | null,
): ProofView {
  const tree = merkleTree(batch.leaves.map((leaf) => hexToBytes(leaf.leafHash)))
  return {
    sessionId: session.sessionId,
    applicationId: session.applicationId,
    revision,
    hashAlgorithm: 'rfc9162-sha256',
    batchId: batch.batchId,
    leafIndex,
    treeSize: tree.size,
    leafHash,
    inclusionPath: tree.pathOf(leafIndex).map(bytesToHex),
    merkleRoot: batch.merkleRoot,
    anchor: anchorView(batch, anchor),
  }
}
