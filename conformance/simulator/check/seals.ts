import {
  type Anchor,
  anchors,
  type Batch,
  batches,
  caseSeals,
  type Seal,
  type StoredSession,
  type StoredStep,
  seals,
  sessions,
  steps,
} from '@countersign/core/internal'
import { canonicalText } from '../../canonical.ts'
import { leafOf, rootOf, sha256 } from '../../merkle.ts'
import { type Committed, keyText, of, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { faultOfCaseSeal } from './case-seals.ts'
import { isPurging } from './purging.ts'
import { sessionText } from './session-rows.ts'

/** Seals, batches and anchors, each recomputed apart from the core (interface, Submission; Evidence document). */
export interface SealChecks {
  /** Before the rows of `truth` move. */
  committing(truth: Truth, committed: Committed): void
}

const tag = 'countersign-anchor-v1'
const zeros = '0'.repeat(64)

export function checkSeals(world: World): SealChecks {
  /** The leaves that were ever sealed, by session and revision. */
  const sealed = new Map<string, string>()
  const unproven = (detail: string) => world.broken('seals prove', detail)

  function checkSeal(truth: Truth, committed: Committed, key: string, seal: Seal): void {
    if (sealed.has(key)) world.broken('sealed once', `${key} is sealed again`)
    sealed.set(key, seal.leafHash)
    const session = after(truth, committed, sessionText(seal))
    if (session?.sealed?.batchId !== seal.batchId || session.sealed.leafIndex !== seal.leafIndex)
      unproven(`${key}: its session is not told of its seal`)
    const batch = of(batches, committed.transitions).find(
      (one) => one.after?.row.batchId === seal.batchId,
    )?.after?.row
    if (batch?.leaves[seal.leafIndex]?.leafHash !== seal.leafHash)
      unproven(`${key}: its batch has another leaf at ${seal.leafIndex}`)
    if (seal.head && session) {
      const record = recordOf(seal, session, stepsOf(truth, committed, seal))
      if (leafOf(canonicalText(record)) !== seal.leafHash)
        unproven(`${key}: its leaf is not that of its record`)
    }
  }

  function checkBatch({ transitions }: Committed, batch: Batch, was: Batch | null): void {
    const { batchId, leaves, merkleRoot, nonce, commitment } = batch
    const kept = (one: Batch) => canonicalText({ ...one, anchorDue: null, anchorSequence: null })
    if (was && kept(was) !== kept(batch)) unproven(`batch ${batchId} was changed`)
    if (was) return
    if (rootOf(leaves.map(({ leafHash }) => leafHash)) !== merkleRoot)
      unproven(`batch ${batchId} has another root than its leaves`)
    const made = [...of(seals, transitions), ...of(caseSeals, transitions)].filter(
      (one) => one.after?.row.batchId === batchId,
    )
    const accepted = leaves.filter((leaf) =>
      'leafType' in leaf ? leaf.leafType === 'review-case' : leaf.status === 'accepted',
    )
    if (made.length !== accepted.length)
      world.broken(
        'sealed once',
        `batch ${batchId} has ${accepted.length} leaves, ${made.length} seals`,
      )
    if (commitment !== sha256(tag, Buffer.from(merkleRoot, 'hex'), Buffer.from(nonce, 'hex')))
      unproven(`batch ${batchId} commits to something else`)
  }

  function checkAnchor(truth: Truth, { transitions }: Committed, anchor: Anchor): void {
    const { tenantId, sequence, commitment, previousHash, entryHash } = anchor
    const wrong = (detail: string) =>
      world.broken('anchors are a chain', `anchor ${sequence} of ${tenantId}: ${detail}`)
    const before = truth.rows(anchors).get(keyText([tenantId, sequence - 1]))?.row
    const inCommit = of(anchors, transitions).find(
      (one) => one.after?.row.tenantId === tenantId && one.after.row.sequence === sequence - 1,
    )?.after?.row
    const last = inCommit ?? before
    if (previousHash !== (sequence === 1 ? zeros : last?.entryHash))
      wrong('names another entry before it')
    if (entryHash !== sha256(canonicalText(entryOf(anchor)))) wrong('has the hash of another')
    const claims = of(batches, transitions).filter(
      (one) => one.after?.row.anchorSequence === sequence,
    )
    if (claims.length !== 1 || claims[0]?.after?.row.commitment !== commitment)
      wrong(`${claims.length} batches are anchored by it`)
  }

  return {
    committing(truth, committed) {
      const { transitions } = committed
      for (const { key, before, after: made } of of(seals, transitions))
        if (made && before) world.broken('sealed once', `the seal ${key} is changed`)
        else if (made) checkSeal(truth, committed, key, made.row)
      for (const { key, before, after: made } of of(caseSeals, transitions)) {
        const seal = made?.row
        if (!seal) continue
        const isMoved = before && before.row.sessionId !== seal.sessionId
        if (before && before.row.batchId !== null && !isMoved)
          world.broken('sealed once', `the seal of case ${key} is changed`)
        const batch = of(batches, transitions).find(
          (one) => one.after?.row.batchId === seal.batchId,
        )?.after?.row
        const fault = faultOfCaseSeal(truth, committed, seal, batch)
        if (fault !== null) unproven(`case ${key}: ${fault}`)
      }
      for (const { key, before, after: made } of of(batches, transitions))
        if (made) checkBatch(committed, made.row, before?.row ?? null)
        else if (before && !isPurging(truth, before.row)) unproven(`batch ${key} is gone`)
      for (const { key, before, after: made } of of(anchors, transitions))
        if (made && !before) checkAnchor(truth, committed, made.row)
        else world.broken('anchors are a chain', `anchor ${key} is changed or gone`)
    },
  }
}

function after(truth: Truth, { transitions }: Committed, key: string): StoredSession | undefined {
  const moved = of(sessions, transitions).find((one) => one.key === key)
  return moved ? moved.after?.row : truth.rows(sessions).get(key)?.row
}

/** The steps of a session as a commit leaves them, those of later revisions aside. */
function stepsOf(truth: Truth, { transitions }: Committed, seal: Seal): readonly StoredStep[] {
  const rows = new Map([...truth.rows(steps)].map(([key, { row }]) => [key, row]))
  for (const { key, after: moved } of of(steps, transitions))
    if (moved) rows.set(key, moved.row)
    else rows.delete(key)
  return [...rows.values()]
    .filter((row) => sessionText(row) === sessionText(seal) && row.revision <= seal.revision)
    .sort((a, b) => (a.place < b.place ? -1 : 1))
}

const iso = (ms: number) => new Date(ms).toISOString()

/** The record of a session that came as spans, as the interface has it. */
function recordOf(seal: Seal, session: StoredSession, rows: readonly StoredStep[]): object {
  return {
    recordVersion: '1.0',
    tenantId: seal.tenantId,
    applicationId: seal.applicationId,
    sessionId: seal.sessionId,
    revision: seal.revision,
    status: session.status,
    startedAt: iso(session.startedAt),
    endedAt: iso(session.endedAt),
    agent: session.agent,
    steps: rows.map((step) => ({
      stepId: step.stepId,
      parentStepId: step.parentStepId,
      type: step.type,
      name: step.name,
      startedAt: iso(step.startedAt),
      endedAt: iso(step.endedAt),
      status: step.status,
      model: step.model,
      inputTokens: step.inputTokens,
      outputTokens: step.outputTokens,
      toolName: step.toolName,
      late: step.late,
      payloads: step.payloads.map(({ field, bytes, digest }) => ({ field, bytes, digest })),
    })),
    policyResults: rows.flatMap(({ policyResults }) =>
      policyResults
        .filter(({ revision = 1 }) => revision <= seal.revision)
        .map(({ revision: _, ...result }) => ({ ...result, matchedAt: iso(result.matchedAt) })),
    ),
    scores: rows.flatMap(({ stepId, scores }) =>
      scores.map(({ name, value, label }) => ({ name, value, label, stepId })),
    ),
  }
}

function entryOf(anchor: Anchor): object {
  const { ledger, sequence, commitment, previousHash, anchoredAt, keyId, signature } = anchor
  return {
    anchorVersion: '1.0',
    ledger,
    sequence,
    commitment,
    previousHash,
    anchoredAt: iso(anchoredAt),
    keyId,
    signature,
  }
}
