import type { CustomerKeyActor } from '@countersign/core'
import {
  batches,
  erasureRequests,
  legalHolds,
  type sessions,
  steps,
} from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { Command, SessionAct } from '../plan.ts'
import { keyText } from '../truth.ts'
import { checkContent } from './read-sessions.ts'
import { batchOf, exportOf, subjectOf } from './session-data.ts'
import { canary, type SentStep, type Stage } from './stage.ts'

/** The place of the policy cases of a session among the cases; even, so that it keeps its application. */
const policySlots = 10

function keyFor({ cast }: Stage, session: number): CustomerKeyActor {
  return cast.customerKeys[session % cast.customerKeys.length] as CustomerKeyActor
}

/** What was told taken is committed by then, and remembered. */
function taken(stage: Stage, key: CustomerKeyActor, sent: readonly SentStep[]): void {
  const { tenantId, applicationId } = key
  for (const step of sent) {
    const text = keyText([tenantId, applicationId, step.scope, step.stepId])
    stage.sent.set(text, { ...step, applicationId })
    const row = stage.truth.rows(steps).get(text)?.row
    if (!row && !stage.goneSteps.has(text))
      stage.world.broken('acknowledged is kept', `step ${text} was told taken, not committed`)
  }
}

/** The cases that rules opened, for those who decide them. */
function findCases(stage: Stage, session: number): void {
  for (const { row } of stage.truth.rows(steps).values())
    for (const { reviewCaseId } of row.policyResults)
      if (reviewCaseId !== null && row.sessionId.endsWith(`-${session}`))
        stage.cases.set(policySlots + session, reviewCaseId)
}

export async function sendSpans(
  stage: Stage,
  command: Extract<Command, { kind: 'spans' }>,
): Promise<void> {
  const { client } = stage
  const { session, draw, again } = command
  const key = keyFor(stage, session)
  const { body, sent } = exportOf(session, command, seededRandom(draw))
  const asking = seededRandom(draw + 1)
  for (let turn = 0; turn < (again ? 2 : 1); turn++) {
    const heard = await client.ask(asking, `send ${sent.length} spans of ${session}`, (service) =>
      service.ingest.acceptExport(key, body),
    )
    if (heard.kind !== 'ok' || heard.value.partialSuccess) return
    taken(stage, key, sent)
    findCases(stage, session)
  }
}

export async function submitBatch(
  stage: Stage,
  command: Extract<Command, { kind: 'submit' }>,
): Promise<void> {
  const { client, truth, world } = stage
  const { session, again, draw } = command
  const key = keyFor(stage, session)
  const batchId = again === 'no' ? `batch-${session}-${draw}` : `batch-${session}`
  // Of a session that came as spans, or with other content, nothing may be taken.
  const name = again === 'other' && draw % 2 === 0 ? `run-${session}` : `sub-${session}`
  const { submission, sent } = batchOf(batchId, { session, name, other: again === 'other' })
  const heard = await client.ask(seededRandom(draw), `submit ${batchId}`, (service) =>
    service.ingest.submit(key, submission),
  )
  if (heard.kind !== 'ok') return
  const { merkleRoot, accepted, duplicates } = heard.value
  if (merkleRoot !== submission.merkleRoot || accepted + duplicates !== sent.length)
    world.broken('one key, one result', `${batchId} was answered with another batch`)
  const { tenantId, applicationId } = key
  if (!truth.rows(batches).has(keyText([tenantId, applicationId, batchId])))
    world.broken('acknowledged is kept', `${batchId} was told taken, not committed`)
  taken(stage, key, sent)
}

export async function actOnSession(
  stage: Stage,
  command: Extract<Command, { kind: SessionAct }>,
): Promise<void> {
  const { session } = command
  const draw = seededRandom(command.draw)
  await acts[command.kind](stage, session, draw)
}

type Act = (stage: Stage, session: number, draw: SeededRandom) => Promise<void>

const acts: Readonly<Record<SessionAct, Act>> = {
  async set_rules(stage, session, draw) {
    const { client, cast } = stage
    const { applicationId } = keyFor(stage, session)
    const label = `rules of ${applicationId}`
    const read = await client.ask(draw, `read ${label}`, (service) =>
      service.policyRules.read(cast.admin, { applicationId }),
    )
    if (read.kind !== 'ok') return
    const { ruleSetVersion, rules } = read.value
    const first = rules.length === 0 || draw.chance(0.7)
    const pay = {
      name: 'pay',
      effect: 'require_review' as const,
      match: { toolNames: ['pa?'] },
      // Shorter than any retention.
      expiresInSeconds: 60 + draw.below(3_600),
    }
    const drop = { name: 'drop', effect: 'deny' as const, match: { toolNames: ['drop'] } }
    await client.ask(draw, `set ${label}`, (service) =>
      service.policyRules.set(cast.admin, {
        applicationId,
        ruleSetVersion,
        rules: first ? [pay, drop] : [],
      }),
    )
  },
  async mark(stage, session, draw) {
    const { client, cast, truth, world } = stage
    const { applicationId } = keyFor(stage, session)
    const id = `${draw.chance(0.7) ? 'run' : 'sub'}-${session}`
    const who = cast.reviewers[draw.below(2)] ?? cast.admin
    const of = { applicationId }
    const kind = draw.below(3)
    const heard = await client.ask<object>(draw, `mark ${id}`, (service) => {
      const { annotations, flags, sessionReviews } = service
      if (kind === 0)
        return flags.raise(who, { sessionId: id, flag: 'safety', note: `${canary} note`, ...of })
      if (kind === 1)
        return annotations.create(who, { sessionId: id, text: `${canary} text`, ...of })
      return sessionReviews.create(who, {
        sessionId: id,
        decision: 'approved',
        comment: `${canary} why`,
        ...of,
      })
    })
    if (heard.kind !== 'ok') return
    const collection = (['sessionFlags', 'sessionAnnotations', 'sessionReviews'] as const)[kind]
    const key = (['flagId', 'annotationId', 'sessionReviewId'] as const)[kind]
    const markId = Reflect.get(heard.value, key ?? '')
    const rows = truth.rows({ name: collection ?? '' } as typeof sessions)
    const there = [...rows.values()].some(({ row }) => Reflect.get(row, key ?? '') === markId)
    if (!there) world.broken('acknowledged is kept', `${String(markId)} was told, not committed`)
  },
  async erase(stage, session, draw) {
    const { client, cast, truth, world } = stage
    const dataSubjectId = subjectOf(session)
    if (dataSubjectId === null) return
    const scope = draw.chance(0.3) ? { applicationId: keyFor(stage, session).applicationId } : {}
    const heard = await client.ask(draw, `erase ${dataSubjectId}`, (service) =>
      service.erasureRequests.create(cast.admin, {
        dataSubjectId,
        ...scope,
        reason: 'objection',
        confirm: true,
      }),
    )
    if (heard.kind === 'ok' && !truth.rows(erasureRequests).has(heard.value.erasureRequestId))
      world.broken(
        'acknowledged is kept',
        `${heard.value.erasureRequestId} was told, not committed`,
      )
  },
  async reject_erasure(stage, _, draw) {
    const { client, cast, truth } = stage
    const open = [...truth.rows(erasureRequests).values()].find(({ row }) => row.underWay === 1)
    if (!open) return
    const { erasureRequestId } = open.row
    await client.ask(draw, `reject ${erasureRequestId}`, (service) =>
      service.erasureRequests.reject(cast.admin, { erasureRequestId, reason: `${canary} no` }),
    )
  },
  async hold(stage, session, draw) {
    const { client, cast, truth, world } = stage
    const dataSubjectId = subjectOf(session)
    if (dataSubjectId === null) return
    const scope = draw.chance(0.3) ? { applicationId: keyFor(stage, session).applicationId } : {}
    const heard = await client.ask(draw, `hold ${dataSubjectId}`, (service) =>
      service.legalHolds.place(cast.admin, { dataSubjectId, ...scope, matter: `${canary} case` }),
    )
    if (heard.kind === 'ok' && !truth.rows(legalHolds).has(heard.value.holdId))
      world.broken('acknowledged is kept', `${heard.value.holdId} was told, not committed`)
  },
  async release(stage, _, draw) {
    const active = [...stage.truth.rows(legalHolds).values()].filter(({ row }) => row.active === 1)
    const one = active[draw.below(Math.max(1, active.length))]
    if (one) await releaseHold(stage, one.row.holdId, draw)
  },
  async read_session(stage, _, draw) {
    const sent = [...stage.sent]
    const one = sent[draw.below(Math.max(1, sent.length))]
    if (one) await checkContent(stage, one[0], one[1], draw)
  },
  async pry_session(stage, session, draw) {
    const { client, cast, world } = stage
    const heard = await client.ask(draw, `pry into run-${session}`, (service) =>
      service.sessions.read(cast.stranger, { sessionId: `run-${session}` }),
    )
    if (heard.kind === 'ok') world.broken('own tenant only', `another tenant reads run-${session}`)
  },
}

/** Releases a hold; a lost answer is asked for again. */
export async function releaseHold(
  { client, cast }: Stage,
  holdId: string,
  draw: SeededRandom,
): Promise<void> {
  await client.ask(draw, `release ${holdId}`, (service) =>
    service.legalHolds.release(cast.admin, { holdId, reason: `${canary} over` }),
  )
}
