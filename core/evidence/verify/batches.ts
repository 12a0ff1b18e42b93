import { bytesToHex } from '@noble/hashes/utils.js'
import { isObject } from '../../base/events/shape.ts'
import { merkleTree } from '../../base/merkle/tree.ts'
import { commitmentOf } from '../../proof/commitment.ts'
import { createReport } from './finding.ts'
import { createHeads, type SealedHeads } from './heads.ts'
import { type KnownEvidence, placeIn } from './known.ts'
import type { ListCheck } from './lists.ts'
import {
  hashOf,
  isRevision,
  type Json,
  msOf,
  nameOf,
  numberOf,
  objectsAt,
  textAt,
  textOf,
} from './read.ts'
import { isOfAnother, laterLeafOf } from './removed-sessions.ts'
import type { SealedBatch } from './tails.ts'
import { differsFromKnown, isKnownRoot, isOtherLeaf } from './witness.ts'

/** A check of batches, and what it learned of the ledger. */
export interface BatchCheck extends ListCheck {
  /** Those that fit together, in their order. */
  readonly sealed: readonly SealedBatch[]
}

/** Whether a leaf is told as that of a session, of a review case or of an entry of the audit log, whose members are compared. */
function isOfAKind({ leafType, sessionId, reviewCaseId, revision }: Json): boolean {
  if (leafType === 'audit-log') return true
  if (typeof sessionId !== 'string') return false
  if (leafType === 'review-case') return typeof reviewCaseId === 'string'
  return (leafType ?? reviewCaseId ?? null) === null && isRevision(revision)
}

/** Whether a leaf is a session's, and that of nothing known. */
function isUnknownSession({ reviewCaseId, leafHash }: Json, known: KnownEvidence): boolean {
  return typeof reviewCaseId !== 'string' && !known.owners.has(textOf(leafHash))
}

/**
 * Checks Merkle batches: that each root is that of its leaves, and each commitment that of its root and nonce. `heads`
 * takes those of the audit log that they have.
 */
export function checkBatches(
  known: KnownEvidence | null = null,
  heads: SealedHeads = createHeads(),
): BatchCheck {
  const report = createReport('batches', new Map(), known)
  const sealed: SealedBatch[] = []
  const cases = new Map<string, unknown>()
  // Leaves that are known from before: those listed, and those of a later session by the id of one that is listed.
  const shown = new Set<string>()
  const awaited = new Map<string, Json>()
  let count = 0
  let failures = 0

  function fail(name: string, detail: string): void {
    failures++
    report.on(name).failed('batch', detail)
  }

  function failAsOther(name: string, of: unknown): void {
    report.on(name).failed('witness', `Its leaf of ${textOf(of)} is known from before as another.`)
  }

  /** Whether a case of a session has another leaf in a batch before; one that moves has one for each session. */
  function isSecondLeaf({ leafType, reviewCaseId, sessionId, leafHash }: Json): boolean {
    if (leafType !== 'review-case') return false
    const name = nameOf(reviewCaseId, sessionId)
    const before = cases.get(name)
    cases.set(name, leafHash)
    return before !== undefined && before !== leafHash
  }

  /** Whether a leaf is of a session whose id is known as that of an earlier one, which had been removed by then. */
  function isAgain(leaf: Json, { applicationId, sealedAt }: Json): boolean {
    if (!known || !isUnknownSession(leaf, known)) return false
    const session = placeIn.session(applicationId, leaf.sessionId)
    return isOfAnother(session, leaf.revision, sealedAt, known)
  }

  /** Whether a leaf is of a session whose id is known as that of a later one, which must be listed too. */
  function isFormer(leaf: Json, { applicationId, batchId, sealedAt }: Json): boolean {
    if (!known || !isUnknownSession(leaf, known)) return false
    const session = placeIn.session(applicationId, leaf.sessionId)
    const later = laterLeafOf(session, leaf.revision, sealedAt, known)
    if (later !== null) awaited.set(later, { batchId, sessionId: leaf.sessionId })
    return later !== null
  }

  return {
    findings: report.all,
    sealed,
    add(batch) {
      count++
      const name = `batch ${isObject(batch) ? textOf(batch.batchId) : '?'}`
      const leaves = isObject(batch) ? objectsAt(batch, 'leaves') : null
      const hashes = (leaves ?? []).flatMap(({ leafHash }) => hashOf(leafHash) ?? [])
      if (!isObject(batch) || !leaves || leaves.length === 0 || hashes.length < leaves.length)
        return fail(name, 'Expected leaves with their hashes.')
      const [root, nonce] = [hashOf(batch.merkleRoot), hashOf(batch.nonce)]
      const commitment = textAt(batch, 'commitment')
      if (root === null || nonce === null || commitment === null)
        return fail(name, 'Expected merkleRoot, nonce and commitment.')
      if (!leaves.every(isOfAKind))
        return fail(
          name,
          'Expected each leaf to name its session and revision, its case, or its entry.',
        )
      const computed = bytesToHex(merkleTree(hashes).root)
      if (computed !== batch.merkleRoot || batch.treeSize !== leaves.length)
        return fail(
          name,
          `Its ${leaves.length} leaves lead to ${computed}, not to its root ${bytesToHex(root)} of ${textOf(batch.treeSize)}.`,
        )
      if (commitmentOf(root, nonce) !== commitment)
        return fail(name, 'Its commitment is not that of its root and nonce.')
      const twice = leaves.find((leaf) => isSecondLeaf(leaf))
      if (twice)
        return fail(
          name,
          `It has another leaf of review case ${textOf(twice.reviewCaseId)} than a batch before.`,
        )
      const audited = leaves.filter(({ leafType }) => leafType === 'audit-log')
      const fault = audited.map((leaf) => heads.seal(leaf, batch.tenantId)).find(Boolean)
      if (fault) return fail(name, fault)
      if (differsFromKnown(batch, known)) {
        report
          .on(name)
          .failed('witness', 'Known from before is another root of it: it was rewritten since.')
        return
      }
      const others = leaves.filter((leaf) => known && isOtherLeaf(batch.applicationId, leaf, known))
      const moved = others.find((leaf) => !isAgain(leaf, batch) && !isFormer(leaf, batch))
      if (moved) {
        failAsOther(name, moved.reviewCaseId ?? moved.sessionId)
        return
      }
      if (others.length > 0)
        report
          .on(name)
          .noted(
            'witness',
            'It has a session by an id that is known from before as that of another.',
          )
      for (const { leafHash } of leaves)
        if (typeof leafHash === 'string' && known?.owners.has(leafHash)) shown.add(leafHash)
      const { applicationId, batchId, sealedAt, anchorSequence: sequence } = batch
      sealed.push({
        applicationId,
        batchId: textOf(batchId),
        sealedAt: msOf(sealedAt),
        commitment,
        sequence: typeof sequence === 'number' ? sequence : null,
        isKnown: isKnownRoot(batch, known),
        head: audited.reduce((last, { position }) => Math.max(last, numberOf(position)), 0),
      })
    },
    end() {
      for (const [leafHash, { batchId, sessionId }] of awaited)
        if (!shown.has(leafHash)) failAsOther(`batch ${textOf(batchId)}`, sessionId)
      if (failures > 0) return
      if (count === 0) report.noted('batch', 'There is no batch.')
      else
        report.verified(
          'batch',
          `The roots of ${count} batches are those of their leaves, the commitments those of their roots.`,
        )
    },
  }
}
