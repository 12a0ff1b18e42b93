import { createSlices, inSlices, type Slices } from '../../base/json/in-slices.ts'
import type { Found } from '../../base/ports/store.ts'
import { type Batch, batches, type SessionLeaf } from '../../content/seal-records.ts'
import type { SubjectName } from '../../content/vault/pseudonym.ts'
import type { Sealing } from '../../content/vault/vault.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { inTurn, put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { Parts } from '../../kernel/ports.ts'
import { mergedParts } from '../../kernel/unit.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { consequenceReads } from '../../policies/consequences.ts'
import { judgeAfter } from '../../policies/judgement/item.ts'
import { governanceParts } from '../../policies/scores/quality.ts'
import { type Signals, signalsFrom } from '../../policies/signals.ts'
import type { IngestDeps } from '../deps.ts'
import { owedEvents } from '../owed-events.ts'
import { newBatch } from '../seal/new-batch.ts'
import { sceneOfKey } from '../standing.ts'
import { anchorAfter } from '../work-kinds.ts'
import type { Leaf } from './leaf.ts'
import { type First, type Known, readFirst } from './read-first.ts'
import { type ForSession, type SessionParts, sessionParts } from './session-parts.ts'
import { type JudgedSession, judgeSubmitted, ownSubject, textSubject } from './store-submitted.ts'

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
  checked: Checked,
): Promise<Plan<Batch | null>> {
  const { actor, batchId, leaves } = checked
  const { tenantId } = actor
  const sessionIds = leaves.map(({ session }) => session.sessionId)
  const first = await readFirst(unit, actor, batchId, sessionIds)
  const { standing } = first
  if (!standing.ok) return refusal(standing)
  if (first.batch) return repeated(first.batch.row, checked)
  const states = statesOf(leaves, first.known)
  if (!states.ok) return refusal(states)
  const fresh = leaves.filter((_, at) => states.value[at] === 'accepted')
  const limit = standing.value.plan.sessionsPerMonth
  if (limit !== null && fresh.length > 0 && first.used + fresh.length > limit) return answer(null)

  const signals = signalsFrom(actor, first.signals, deps.sealer)
  const slices = createSlices()
  const judged = await judgeAll(deps, signals, checked, fresh, unit.now, slices)
  const { sealing, implied } = await readSecond(deps, unit, actor, judged)
  const scene = sceneOfKey(unit, first.routing, standing.value)
  const parts = await partsOf(deps, unit, checked, judged, { scene, sealing, implied, slices })
  const batch = batchOf(unit, checked, states.value, parts)
  const stored = [...parts.values()]
  const blobs = stored.flatMap(({ blob }) => blob ?? [])
  if (blobs.length > 0) await deps.blobs.put(blobs)
  const events = stored.flatMap((each) => each.events)
  const set = mergedParts([
    standing.value,
    { checks: signals.checks },
    { puts: [put(batches, batch, null)] },
    ...stored,
    fresh.length > 0 ? upkeepOf(unit, actor, first, fresh.length) : {},
    sealing,
    anchorAfter(tenantId, unit.now, first.anchoring),
    await owedEvents(deps, scene, tenantId, events, slices),
  ])
  return commit(set, batch)
}

/** A batch that came before: the same one is answered again, another one under its id is refused. */
function repeated(before: Batch, { merkleRoot }: Checked): Plan<Batch> {
  if (before.merkleRoot === merkleRoot) return answer(before)
  return refusal(
    refuse('idempotency_conflict', 'this batchId came before with another Merkle root'),
  )
}

/** New, or a duplicate of what was submitted before; anything else that is known by the id is a conflict. */
function statesOf(
  leaves: readonly Leaf[],
  found: readonly Known[],
): Result<readonly SessionLeaf['status'][]> {
  const states: SessionLeaf['status'][] = []
  for (const [at, { session, leafHash }] of leaves.entries()) {
    const { session: known, alias, seal } = found[at] ?? unknown
    const same = known?.origin === 'submission' && seal?.leafHash === leafHash
    if ((known && !same) || (!known && alias)) {
      const what = known?.origin === 'submission' ? 'with other content' : 'by its spans'
      return refuse(
        'session_conflict',
        `session ${JSON.stringify(session.sessionId)} is known ${what}; nothing was stored`,
        { facts: { sessionId: session.sessionId } },
      )
    }
    states.push(known ? 'duplicate' : 'accepted')
  }
  return ok(states)
}

const unknown: Known = { session: null, alias: false, seal: null }

/** Judges and redacts the new sessions, with pauses. */
async function judgeAll(
  { pause }: IngestDeps,
  signals: Signals,
  { actor: { tenantId, applicationId } }: Checked,
  fresh: readonly Leaf[],
  now: number,
  slices: Slices,
): Promise<readonly JudgedSession[]> {
  const judged: JudgedSession[] = []
  for (const leaf of fresh) {
    const key = { tenantId, applicationId, sessionId: leaf.session.sessionId }
    judged.push(await inSlices(judgeSubmitted(signals, key, leaf, now, slices), pause))
  }
  return judged
}

/** Reads in one round trip the keys that seal the contents, and by session what the judgements' consequences rely on. */
async function readSecond(
  { vault }: IngestDeps,
  unit: UnitOfWork,
  actor: CustomerKeyActor,
  judged: readonly JudgedSession[],
): Promise<{ readonly sealing: Sealing; readonly implied: readonly (readonly Found[])[] }> {
  const subjects = subjectsOf(judged)
  const vaultReads = vault.reads(actor, [...subjects.keys()])
  const impliedReads = judged.map((each) => consequenceReads(each.key, each.judged))
  const found = await unit.read([...vaultReads, ...impliedReads.flat()])
  const take = inTurn(found)
  return {
    sealing: vault.sealing(unit, take(vaultReads.length), actor, [...subjects.values()]),
    implied: impliedReads.map(({ length }) => take(length)),
  }
}

/** The parts of the commit that are of the new sessions, by their ids. */
async function partsOf(
  deps: IngestDeps,
  unit: UnitOfWork,
  { batchId, leaves }: Checked,
  judged: readonly JudgedSession[],
  {
    implied,
    ...shared
  }: Omit<ForSession, 'implied' | 'sealed'> & {
    readonly implied: readonly (readonly Found[])[]
  },
): Promise<ReadonlyMap<string, SessionParts>> {
  const indexes = new Map(leaves.map(({ session }, at) => [session.sessionId, at]))
  const parts = new Map<string, SessionParts>()
  for (const [at, each] of judged.entries()) {
    const { sessionId } = each.key
    const sealed = { batchId, leafIndex: indexes.get(sessionId) ?? 0 }
    const given = { ...shared, implied: implied[at] ?? [], sealed }
    parts.set(sessionId, await sessionParts(deps, unit, each, given))
  }
  return parts
}

/** The batch with a leaf for each session, also for those that were stored before. */
function batchOf(
  unit: UnitOfWork,
  { actor: { tenantId, applicationId }, batchId, leaves }: Checked,
  states: readonly SessionLeaf['status'][],
  parts: ReadonlyMap<string, SessionParts>,
): Batch {
  return newBatch(unit, {
    tenantId,
    applicationId,
    batchId,
    origin: 'submission',
    leaves: leaves.map(
      ({ session: { sessionId }, leafHash }, at): SessionLeaf => ({
        sessionId,
        revision: 1,
        leafHash,
        status: states[at] ?? 'accepted',
        reviewCaseIds: parts.get(sessionId)?.reviewCaseIds ?? [],
      }),
    ),
  })
}

/** What new sessions leave behind: they count, and governance and alert rules are computed again. */
function upkeepOf(
  unit: UnitOfWork,
  actor: CustomerKeyActor,
  { governance, judgement }: First,
  delta: number,
): Parts {
  const { tenantId } = actor
  return {
    puts: [
      ...governanceParts(unit, actor, governance),
      ...judgeAfter({ tenantId, now: unit.now }, judgement),
    ],
    adds: [{ counter: quotaCounter(tenantId, unit.now), delta }],
  }
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
