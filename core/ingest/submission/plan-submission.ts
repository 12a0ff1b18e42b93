import type { CustomerKeyActor } from '../../access/actor.ts'
import { createSlices, inSlices } from '../../json/in-slices.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../../ledger/ledger.ts'
import { get, one, put } from '../../ledger/reads.ts'
import { type Result, refuse } from '../../ledger/refusal.ts'
import type { BlobObject } from '../../ports/blob-store.ts'
import type { Check, Found, Put } from '../../ports/store.ts'
import type { SubjectName } from '../../privacy/pseudonym.ts'
import { sceneFrom } from '../../review/execution/scene.ts'
import {
  quotaCounter,
  type SessionKey,
  type StoredSession,
  sessions,
  steps,
} from '../../sessions/records.ts'
import {
  type Batch,
  type BatchLeaf,
  batches,
  type Seal,
  seals,
} from '../../sessions/seal-records.ts'
import { sessionAliases } from '../../sessions/trace-records.ts'
import { consequenceReads, consequencesOf } from '../../signals/consequences.ts'
import { judgeAfter, judgementOf } from '../../signals/judgement/item.ts'
import { defaultScorer } from '../../signals/scores/default-scorer.ts'
import { governanceParts, governanceRead, qualityParts } from '../../signals/scores/quality.ts'
import { signalReadCount, signalReads, signalsFrom } from '../../signals/signals.ts'
import { fanOutInSlices, type Outgoing, routingOf } from '../../webhooks/routing/fan-out.ts'
import { workItems } from '../../work/records.ts'
import { completedEvent } from '../completion.ts'
import type { IngestDeps } from '../deps.ts'
import { createBundle } from '../payloads.ts'
import { newBatch } from '../seal/new-batch.ts'
import { keyStandingOf, keyStandingReads, standingReads } from '../standing.ts'
import { anchorKind, ensureScheduled, workItemOf } from '../work-kinds.ts'
import type { Leaf } from './leaf.ts'
import {
  type JudgedSession,
  judgeSubmitted,
  ownSubject,
  storeSubmitted,
  textSubject,
} from './store-submitted.ts'

/** A submission whose root was checked. */
export interface Checked {
  readonly actor: CustomerKeyActor
  readonly batchId: string
  readonly merkleRoot: string
  readonly leaves: readonly Leaf[]
}

/**
 * Stores a batch whole or not at all: its new sessions, complete and sealed, with their events and cases. A repeat
 * answers with the batch as it was. Null where the new sessions are over the quota.
 */
export async function planSubmission(
  deps: IngestDeps,
  unit: UnitOfWork,
  { actor, batchId, merkleRoot, leaves }: Checked,
): Promise<Plan<Batch | null>> {
  const { tenantId, applicationId } = actor
  const keyOf = ({ session: { sessionId } }: Leaf): SessionKey => ({
    tenantId,
    applicationId,
    sessionId,
  })
  const found = await unit.read([
    ...standingReads(actor),
    ...signalReads(tenantId, applicationId),
    routingOf(tenantId),
    get(batches, [tenantId, applicationId, batchId]),
    workItemOf(anchorKind, tenantId),
    { counter: quotaCounter(tenantId, unit.now) },
    governanceRead(applicationId),
    judgementOf(tenantId),
    ...leaves.flatMap((leaf) => {
      const { sessionId } = keyOf(leaf)
      return [
        get(sessions, [tenantId, applicationId, sessionId]),
        get(sessionAliases, [tenantId, applicationId, sessionId]),
        get(seals, [tenantId, applicationId, sessionId, 1]),
      ]
    }),
  ])
  const standing = keyStandingOf(actor, found.slice(0, keyStandingReads))
  if (!standing.ok) return refusal(standing)
  const rest = found.slice(keyStandingReads)
  const foundSignals = rest.slice(0, signalReadCount)
  const [routed, foundBatch, foundAnchoring, used, foundGovernance, foundJudgement] =
    rest.slice(signalReadCount)
  const before = one(batches, foundBatch)
  if (before) {
    if (before.row.merkleRoot === merkleRoot) return answer(before.row)
    return refusal(
      refuse('idempotency_conflict', 'this batchId came before with another Merkle root'),
    )
  }
  const states = stateOf(leaves, rest.slice(signalReadCount + 6))
  if (!states.ok) return refusal(states)
  const fresh = leaves.filter((_, at) => states.value[at] === 'accepted')
  const limit = standing.value.plan.sessionsPerMonth
  if (limit !== null && fresh.length > 0 && (used?.total ?? 0) + fresh.length > limit)
    return answer(null)

  const signals = signalsFrom(actor, foundSignals, deps.sealer)
  const slices = createSlices()
  const judged: JudgedSession[] = []
  for (const leaf of fresh) {
    const judging = judgeSubmitted(signals, keyOf(leaf), leaf, unit.now, slices)
    judged.push(await inSlices(judging, deps.pause))
  }
  const subjects = subjectsOf(judged)
  const vaultReads = deps.vault.reads(actor, [...subjects.keys()])
  const implied = judged.map((each) => consequenceReads(each.key, each.judged))
  const second = await unit.read([...vaultReads, ...implied.flat()])
  const sealing = deps.vault.sealing(unit, second.slice(0, vaultReads.length), actor, [
    ...subjects.values(),
  ])
  const scene = sceneFrom(unit, routed, found[1])
  const puts: Put[] = []
  const checks: Check[] = []
  const blobs: BlobObject[] = []
  const events: Outgoing[] = []
  const cases = new Map<string, readonly string[]>()
  const appends = []
  const indexes = new Map(leaves.map(({ session }, at) => [session.sessionId, at]))
  let at = vaultReads.length
  for (const [index, each] of judged.entries()) {
    const reads = implied[index] ?? []
    const bundle = createBundle(deps, unit, each.key, sealing)
    const storing = storeSubmitted(each, bundle, unit.now, slices)
    const stored = await inSlices(storing, deps.pause)
    const entailing = consequencesOf(
      deps,
      scene,
      each.key,
      each.judged.map((one, place) => ({ ...one, payloads: stored.payloads[place] ?? [] })),
      second.slice(at, at + reads.length),
      slices,
    )
    const entailed = await inSlices(entailing, deps.pause)
    at += reads.length
    const leafIndex = indexes.get(each.key.sessionId) ?? 0
    const { leafHash } = each.leaf
    const seal: Seal = {
      ...each.key,
      revision: 1,
      batchId,
      leafIndex,
      leafHash,
      sealedAt: unit.now,
      head: null,
    }
    const rows = stored.finish(entailed, { batchId, leafIndex })
    const ended = bundle.end()
    if (ended) {
      blobs.push(ended.blob)
      puts.push(ended.put)
    }
    const scored = qualityParts(deps.scorer ?? defaultScorer, scene, rows.session, undefined)
    const session: StoredSession = {
      ...rows.session,
      quality: scored.quality,
      openFlags: rows.session.openFlags + scored.flags,
    }
    puts.push(put(sessions, session, null), put(seals, seal, null), ...scored.puts)
    puts.push(...rows.steps.map((step) => put(steps, step, null)), ...entailed.puts)
    checks.push(...entailed.checks, {
      in: sessionAliases.name,
      key: [tenantId, applicationId, each.key.sessionId],
      version: 0,
    })
    appends.push(...entailed.appends)
    events.push(...entailed.events, completedEvent(scene, session), ...scored.events)
    cases.set(each.key.sessionId, entailed.reviewCaseIds)
  }
  const batch = newBatch(unit, {
    tenantId,
    applicationId,
    batchId,
    origin: 'submission',
    leaves: leaves.map(
      ({ session: { sessionId }, leafHash }, index): BatchLeaf => ({
        sessionId,
        revision: 1,
        leafHash,
        status: states.value[index] ?? 'accepted',
        reviewCaseIds: cases.get(sessionId) ?? [],
      }),
    ),
  })
  const anchoring = ensureScheduled(
    { kind: anchorKind, ref: tenantId, tenantId, applicationId: null, due: unit.now },
    one(workItems, foundAnchoring),
  )
  if (fresh.length > 0)
    puts.push(
      ...governanceParts(unit, actor, foundGovernance),
      ...judgeAfter({ tenantId, now: unit.now }, foundJudgement),
    )
  if (blobs.length > 0) await deps.blobs.put(blobs)
  const fanning = fanOutInSlices(
    {
      routing: scene.routing,
      tenantId,
      events,
      now: unit.now,
      id: unit.id,
      intake: deps.intake,
    },
    slices,
  )
  const owed = await inSlices(fanning, deps.pause)
  return commit(
    {
      puts: [put(batches, batch, null), ...puts, ...sealing.puts, ...anchoring.puts, ...owed.puts],
      checks: [
        ...standing.value.checks,
        ...signals.checks,
        ...sealing.checks,
        ...anchoring.checks,
        ...checks,
        ...owed.checks,
      ],
      appends,
      adds:
        fresh.length > 0
          ? [{ counter: quotaCounter(tenantId, unit.now), delta: fresh.length }]
          : [],
    },
    batch,
  )
}

/** New, or a duplicate of what was submitted before; anything else that is known by the id is a conflict. */
function stateOf(
  leaves: readonly Leaf[],
  found: readonly Found[],
): Result<readonly BatchLeaf['status'][]> {
  const states: BatchLeaf['status'][] = []
  for (const [at, { session, leafHash }] of leaves.entries()) {
    const known = one(sessions, found[3 * at])
    const alias = one(sessionAliases, found[3 * at + 1])
    const seal = one(seals, found[3 * at + 2])
    const same = known?.row.origin === 'submission' && seal?.row.leafHash === leafHash
    if ((known && !same) || (!known && alias)) {
      const what = known?.row.origin === 'submission' ? 'with other content' : 'by its spans'
      return refuse(
        'session_conflict',
        `session ${JSON.stringify(session.sessionId)} is known ${what}; nothing was stored`,
        { facts: { sessionId: session.sessionId } },
      )
    }
    states.push(known ? 'duplicate' : 'accepted')
  }
  return { ok: true, value: states }
}

/** Everyone whose key may seal a content of these sessions. */
function subjectsOf(judged: readonly JudgedSession[]): ReadonlyMap<string, SubjectName> {
  const subjects = new Map<string, SubjectName>()
  for (const { leaf } of judged) {
    const all = [ownSubject(leaf), textSubject(leaf)]
    for (const { subject } of leaf.session.steps) if (subject) all.push(subject)
    for (const subject of all)
      if (!subjects.get(subject.subjectId)?.rawId) subjects.set(subject.subjectId, subject)
  }
  return subjects
}
