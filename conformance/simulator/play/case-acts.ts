import type { CaseView, MemberActor, OpenCase } from '@countersign/core'
import { members, reviewCases } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { CaseAct, Command } from '../plan.ts'
import { keyText } from '../truth.ts'
import { epoch } from '../world.ts'
import type { Heard } from './client.ts'
import { canary, type Stage } from './stage.ts'

const why = ['policy_requires_human_review', 'high_risk_action', 'sensitive_data', 'other'] as const
const tiers = ['standard', 'high', 'urgent'] as const

function pick<T>(draw: SeededRandom, from: readonly T[]): T {
  return from[draw.below(from.length)] as T
}

/** An answer that shows a case tells what is committed by then. */
function show(stage: Stage, heard: Heard<CaseView>, isRead = false): CaseView | null {
  if (heard.kind !== 'ok') return null
  const view = { ...heard.value, history: recordedIn(heard.value, isRead) }
  stage.shown.push(view)
  const id = view.reviewCaseId
  const row = stage.truth.rows(reviewCases).get(id)?.row ?? stage.gone.get(id)
  for (const [at, entry] of view.history.entries()) {
    const kept = row?.history[at]
    if (kept?.eventSequence !== entry.eventSequence || kept.step !== entry.step) {
      const told = `${entry.step} ${entry.caseVersion}.${entry.eventSequence}`
      stage.world.broken('acknowledged is kept', `${id}: ${told} was told, not committed`)
      break
    }
  }
  return view
}

/** The history that was told, but for an expiry that a read shows from `expiresAt` on, also before it is recorded. */
function recordedIn({ history, closedAt, expiresAt }: CaseView, isRead: boolean) {
  const lapsed = history.at(-1)?.step === 'expired' && closedAt !== null && closedAt >= expiresAt
  return isRead && lapsed ? history.slice(0, -1) : history
}

/** Whether an actor still is the admin that it was made as: members of the other organization come and go. */
function isAdmin({ truth }: Stage, { tenantId, memberId }: MemberActor): boolean {
  const row = truth.rows(members).get(keyText([tenantId, memberId]))?.row
  return row?.status === 'Active' && row.role === 'CustomerAdmin'
}

export async function open(
  stage: Stage,
  command: Extract<Command, { kind: 'open' }>,
): Promise<void> {
  const { client, cast, cases, world } = stage
  const { slot, again } = command
  const draw = seededRandom(command.draw)
  // What the key stands for is drawn from the slot, so that a repeat asks for the same.
  const fixed = seededRandom(world.plan.seed * 1_000 + slot)
  const app = cast.applications[slot % cast.applications.length]
  if (!app) return
  const key = `open-${again === 'no' ? `${slot}-${command.draw}` : slot}`
  const at = epoch + command.at
  const { dueIn, expiresIn } = again === 'no' ? command : { dueIn: null, expiresIn: null }
  const input: OpenCase = {
    sessionId: `ses-${slot}`,
    checkpointId: `cp-${slot % 3}`,
    resumeToken: `${canary}-token-${slot}`,
    reasonCategory: pick(fixed, why),
    reviewTier: pick(fixed, tiers),
    ...(dueIn === null ? {} : { dueAt: at + dueIn }),
    ...(expiresIn === null ? {} : { expiresAt: at + expiresIn }),
    presentation: { action: `${canary} wire ${slot}`, amount: fixed.below(1_000) },
    requestedBy: fixed.chance(0.2) ? (cast.reviewers[1]?.memberId ?? null) : null,
    idempotencyKey: key,
    ...(again === 'other' ? { stepId: `step-${draw.below(2 ** 30)}` } : {}),
  }
  const heard = await client.ask(draw, `open ${slot} ${again}`, (service) =>
    service.reviewCases.open(app, input),
  )
  const view = show(stage, heard)
  if (!view) return
  if (view.sessionId !== input.sessionId || view.checkpoint.checkpointId !== input.checkpointId)
    world.broken('one key, one result', `${view.reviewCaseId} was opened for another checkpoint`)
  const first = stage.keys.get(key) ?? { stepId: input.stepId ?? null, id: view.reviewCaseId }
  stage.keys.set(key, first)
  if (first.id !== view.reviewCaseId || first.stepId !== (input.stepId ?? null))
    world.broken('one key, one result', `${key} led to ${first.id} and to ${view.reviewCaseId}`)
  cases.set(slot, view.reviewCaseId)
}

export async function act(
  stage: Stage,
  command: Extract<Command, { kind: CaseAct }>,
): Promise<void> {
  const { client, cast, cases, world } = stage
  const draw = seededRandom(command.draw)
  const [slot, id] = cases.has(command.slot)
    ? [command.slot, cases.get(command.slot)]
    : ([...cases][0] ?? [0, undefined])
  const app = cast.applications[slot % cast.applications.length]
  const member = pick(draw, cast.reviewers)
  if (id === undefined || !app) return
  const label = `${command.kind} ${id}`
  const ask = (call: Parameters<typeof client.ask<CaseView>>[2]) => client.ask(draw, label, call)

  if (command.kind === 'pry') {
    const heard = await ask((service) =>
      service.reviewCases.read(cast.stranger, { reviewCaseId: id }),
    )
    const known = heard.kind === 'refused' && heard.refusal.code !== 'not_found'
    if (heard.kind === 'ok' || (known && isAdmin(stage, cast.stranger)))
      world.broken('own tenant only', `another tenant's read of ${id} was ${heard.kind}`)
    return
  }
  if (command.kind === 'continuation') {
    const outcomes = ['resumed', 'terminated', 'remained_paused', 'superseded', 'failed'] as const
    const outcome = pick(draw, outcomes)
    const detail = `${canary} detail`
    show(
      stage,
      await ask((service) =>
        service.reviewCases.reportContinuation(app, { reviewCaseId: id, outcome, detail }),
      ),
    )
    return
  }
  if (command.kind === 'replay_callback') {
    const replayed = await client.ask(draw, label, (service) =>
      service.reviewCases.replayCallback(member, { reviewCaseId: id }),
    )
    // The members of the stage who replay may review too, but while their permissions change.
    if (replayed.kind === 'ok' && 'history' in replayed.value)
      show(stage, { ...replayed, value: replayed.value })
    return
  }
  const read = await client.ask(draw, `read ${id}`, (service) =>
    service.reviewCases.read(member, { reviewCaseId: id }),
  )
  let seen = show(stage, read, true)
  const needsHolder = command.kind === 'decide' || command.kind === 'follow_up'
  if (seen?.state === 'open' && !seen.assignment && needsHolder && draw.chance(0.8)) {
    const { caseVersion } = seen
    const claimed = await client.ask(draw, `claim ${id}`, (service) =>
      service.reviewCases.claim(member, { reviewCaseId: id, caseVersion }),
    )
    seen = show(stage, claimed) ?? seen
  }
  if (!seen) return
  // Who thinks before acting may be overtaken.
  if (draw.chance(0.4)) await client.wait(draw.below(20_000))
  const { caseVersion } = seen
  const version = draw.chance(0.5)
    ? { caseVersion }
    : { caseVersion, eventSequence: seen.eventSequence }
  const holder = cast.reviewers.find(({ memberId }) => memberId === seen.assignment?.reviewerId)
  const reviewer = holder && draw.chance(0.9) ? holder : member
  switch (command.kind) {
    case 'claim':
      show(
        stage,
        await ask((service) => service.reviewCases.claim(member, { reviewCaseId: id, ...version })),
      )
      return
    case 'reassign': {
      const { memberId: reviewerId } = pick(draw, cast.reviewers)
      show(
        stage,
        await ask((service) =>
          service.reviewCases.reassign(reviewer, { reviewCaseId: id, ...version, reviewerId }),
        ),
      )
      return
    }
    case 'follow_up': {
      const question = `${canary} why?`
      const asked = show(
        stage,
        await ask((service) =>
          service.reviewCases.requestFollowUp(reviewer, { reviewCaseId: id, ...version, question }),
        ),
      )
      if (!asked || draw.chance(0.4)) return
      await client.wait(draw.below(5_000))
      const input = { caseVersion: asked.caseVersion, answer: `${canary} because` }
      show(
        stage,
        await client.ask(draw, `answer ${id}`, (service) =>
          service.reviewCases.answerFollowUp(app, { reviewCaseId: id, ...input }),
        ),
      )
      return
    }
    case 'answer': {
      const answer = `${canary} because`
      show(
        stage,
        await ask((service) =>
          service.reviewCases.answerFollowUp(app, { reviewCaseId: id, ...version, answer }),
        ),
      )
      return
    }
    case 'cancel': {
      const reasonCategory = pick(draw, ['end_user_cancelled', 'checkpoint_superseded'] as const)
      const who = draw.chance(0.5) ? app : cast.admin
      show(
        stage,
        await ask((service) =>
          service.reviewCases.cancel(who, { reviewCaseId: id, ...version, reasonCategory }),
        ),
      )
      return
    }
    case 'decide': {
      const wrong = draw.chance(0.1)
      const presentationDigest = wrong ? 'f'.repeat(64) : (seen.presentationDigest ?? '')
      const decision = pick(draw, ['approved', 'rejected', 'response_submitted'] as const)
      const comment = `${canary} comment`
      const heard = await ask((service) =>
        service.reviewCases.decide(reviewer, {
          reviewCaseId: id,
          ...version,
          presentationDigest,
          decision,
          comment,
          response: { text: `${canary} response` },
        }),
      )
      const view = show(stage, heard)
      if (view && wrong)
        world.broken('digest is of what is shown', `${id} was decided under a digest of nothing`)
      if (view && view.decision !== decision)
        world.broken('acknowledged is kept', `${id}: ${decision} was asked, ${view.decision} told`)
    }
  }
}
