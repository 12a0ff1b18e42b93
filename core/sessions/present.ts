import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { merkleTree } from '../base/merkle/tree.ts'
import type { StoredSession, StoredStep } from '../content/records.ts'
import { type Anchor, type Batch, isSessionLeaf } from '../content/seal-records.ts'
import {
  type AnchorView,
  type BatchView,
  type PayloadView,
  type PlaceView,
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
    incompleteAtSource: session.incompleteAtSource ?? false,
    removeAfter: removeAfterOf(session, of.retentionDays),
  })
}

export function stepView(step: StoredStep, payload: PayloadView | null): StepView {
  return showAll(shownStep, { ...step, payload })
}

/** A batch as the sessions in it; `treeSize` counts leaves of other kinds too. */
export function batchView({ batchId, merkleRoot, leaves }: Batch): BatchView {
  const sessions = leaves.flatMap((leaf, leafIndex) => {
    if (!isSessionLeaf(leaf)) return []
    const { sessionId, leafHash, status, reviewCaseIds } = leaf
    return [{ sessionId, leafIndex, leafHash, status, reviewCaseIds }]
  })
  const accepted = sessions.filter(({ status }) => status === 'accepted').length
  const duplicates = sessions.length - accepted
  return { batchId, merkleRoot, treeSize: leaves.length, accepted, duplicates, sessions }
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
  timeStamp: null,
}

/** The place of a leaf in its batch's tree, and the path from there to the root. */
export function placeView(batch: Batch, leafIndex: number): PlaceView {
  const { batchId, merkleRoot } = batch
  const tree = treeOf(batch)
  const inclusionPath = tree.pathOf(leafIndex).map(bytesToHex)
  return { batchId, leafIndex, treeSize: tree.size, inclusionPath, merkleRoot }
}

/** Trees of rows that are in use: one batch may hold the leaves of hundreds of cases. */
const trees = new WeakMap<Batch, ReturnType<typeof merkleTree>>()

function treeOf(batch: Batch): ReturnType<typeof merkleTree> {
  const known = trees.get(batch)
  if (known) return known
  const tree = merkleTree(batch.leaves.map(({ leafHash }) => hexToBytes(leafHash)))
  trees.set(batch, tree)
  return tree
}

/** The proof of one session's leaf of a batch. */
export function proofView(
  session: Pick<StoredSession, 'sessionId' | 'applicationId'>,
  { revision, leafIndex, leafHash }: { revision: number; leafIndex: number; leafHash: string },
  batch: Batch,
  anchor: Anchor | null,
): ProofView {
  const { sessionId, applicationId } = session
  return {
    sessionId,
    applicationId,
    revision,
    hashAlgorithm: 'rfc9162-sha256',
    leafHash,
    ...placeView(batch, leafIndex),
    anchor: anchorView(batch, anchor),
  }
}
