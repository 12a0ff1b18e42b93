import type { ReviewEventType } from '../../base/events/catalogue.ts'
import { type Batch, type BatchLeaf, isSessionLeaf } from '../../content/seal-records.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { PolicyRuleVersion } from '../../policies/records.ts'
import { type StepName, steps } from '../../review/machine/steps.ts'
import type { ReviewCase } from '../../review/records.ts'

/** A recorded step of a review case; `type` is null for a step without an event. */
export interface CaseEventLine {
  readonly reviewCaseId: string
  readonly sessionId: string
  readonly eventSequence: number
  readonly caseVersion: number
  readonly step: StepName
  readonly type: ReviewEventType | null
  readonly at: string
  readonly actor: string
}

/** What happened to a case, in order. */
export function caseEvents({
  reviewCaseId,
  sessionId,
  history,
}: ReviewCase): readonly CaseEventLine[] {
  return history.map(({ eventSequence, caseVersion, step, at, actor }) => ({
    reviewCaseId,
    sessionId,
    eventSequence,
    caseVersion,
    step,
    type: steps[step].event,
    at: isoTime(at),
    actor,
  }))
}

/** A Merkle batch with its leaves in the order of the tree, and what binds its root to the ledger. */
export function batchLine(batch: Batch): object {
  const { tenantId, applicationId, batchId, origin, merkleRoot, leaves, sealedAt } = batch
  return {
    tenantId,
    applicationId,
    batchId,
    origin,
    merkleRoot,
    treeSize: leaves.length,
    leaves: leaves.map(leafLine),
    sealedAt: isoTime(sealedAt),
    nonce: batch.nonce,
    commitment: batch.commitment,
    anchorSequence: batch.anchorSequence,
  }
}

function leafLine(leaf: BatchLeaf): object {
  if (!isSessionLeaf(leaf)) return leaf
  const { sessionId, revision, leafHash } = leaf
  return { sessionId, revision, leafHash }
}

/** One version of a policy rule. */
export function ruleVersion(row: PolicyRuleVersion): object {
  const { ruleId, version, rule, ruleSetVersion, recordedAt, recordedBy } = row
  return { ruleId, version, rule, ruleSetVersion, recordedAt: isoTime(recordedAt), recordedBy }
}
