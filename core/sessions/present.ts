import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { merkleTree } from '../base/merkle/tree.ts'
import type { StoredSession, StoredStep } from '../content/records.ts'
import type { Anchor, Batch } from '../content/seal-records.ts'
import type {
  AnchorView,
  BatchView,
  PayloadView,
  ProofView,
  SessionView,
  StepView,
} from '../content/view.ts'
import { isoTime, isoTimeOrNull } from '../kernel/ledger/iso-time.ts'
import { anchorEntry } from './seal/anchor-batches.ts'

const dayMs = 86_400_000

/** When retention removes a session (ms). */
export function removeAfterOf(
  { completedAt, lastReceivedAt }: StoredSession,
  retentionDays: number,
): number {
  return (completedAt ?? lastReceivedAt) + retentionDays * dayMs
}

export function sessionView(
  session: StoredSession,
  more: {
    readonly openReviewCases: number
    readonly metadata: unknown
    readonly retentionDays: number
  },
): SessionView {
  const { status, startedAt, endedAt, tally, quality, agent } = session
  const ended = status === 'running' ? null : endedAt
  return {
    sessionId: session.sessionId,
    applicationId: session.applicationId,
    origin: session.origin,
    status,
    startedAt: isoTime(startedAt),
    endedAt: isoTimeOrNull(ended),
    durationMs: ended === null ? null : ended - startedAt,
    dataSubjectId: session.dataSubjectId,
    agent: agent && { name: agent.name, version: agent.version },
    models: session.models,
    metadata: more.metadata ?? null,
    stepCount: tally.steps,
    errorCount: tally.errors,
    inputTokens: tally.inputTokens,
    outputTokens: tally.outputTokens,
    qualityScore: quality === null ? null : quality / 10,
    openFlags: session.openFlags,
    openReviewCases: more.openReviewCases,
    reviewState: session.reviewState,
    revision: session.revision,
    sealed: session.sealed,
    payloadStatus: session.payloadStatus,
    receivedAt: isoTime(session.receivedAt),
    completedAt: isoTimeOrNull(session.completedAt),
    removeAfter: isoTime(removeAfterOf(session, more.retentionDays)),
  }
}

export function stepView(step: StoredStep, payload: PayloadView | null): StepView {
  return {
    stepId: step.stepId,
    parentStepId: step.parentStepId,
    type: step.type,
    name: step.name,
    startedAt: isoTime(step.startedAt),
    endedAt: isoTime(step.endedAt),
    status: step.status,
    model: step.model,
    inputTokens: step.inputTokens,
    outputTokens: step.outputTokens,
    toolName: step.toolName,
    dataSubjectId: step.dataSubjectId,
    dataCategories: step.dataCategories,
    checkpointId: step.checkpointId,
    late: step.late,
    truncated: step.truncated,
    redactions: step.redactions,
    scores: step.scores.map(({ name, value, label }) => ({ name, value, label })),
    payload,
    payloadStatus: step.payloadStatus,
  }
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
  if (!anchor)
    return {
      anchorVersion: null,
      ledger: null,
      sequence: null,
      commitment,
      previousHash: null,
      anchoredAt: null,
      keyId: null,
      signature: null,
      entryHash: null,
      nonce,
      status: 'pending',
    }
  return {
    ...anchorEntry(anchor),
    entryHash: anchor.entryHash,
    nonce,
    status: anchor.status,
  }
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
