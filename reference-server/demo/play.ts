import { type AgentStage, reviewTracedRun } from './agent-scenes.ts'
import { must } from './client.ts'
import { type Program, pause, until } from './processes.ts'

/** What the play needs: two processes that may die, and the hosts as their users see them. */
export interface Stage extends AgentStage {
  readonly server: Program
  readonly receiver: Program
}

type Case = Readonly<Record<string, unknown>> & {
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly presentationDigest: string | null
  readonly state: string
}

const reviewerPath = (reviewCase: Case, act: string) =>
  `/v1/review-cases/${reviewCase.reviewCaseId}/${act}`

/** The main job: each scene goes through real HTTP, and two of them lose a process on the way. */
export async function play(stage: Stage): Promise<void> {
  const { say } = stage
  say("an agent wants to pay, and a policy wants a human's word")
  await reviewTracedRun(stage)
  say('a payment waits for a human')
  await approveWithFollowUp(stage)
  say('a case that nobody decides')
  const expiring = await open(stage, 'expiring', { dueAt: inSeconds(1), expiresAt: inSeconds(2) })
  say('a human says no while the receiver is down')
  await rejectWhileReceiverIsDown(stage)
  say('the server is killed in the middle of a burst')
  await burstThroughAKill(stage)
  await until('the case to expire', 20_000, async () => {
    const seen = await must(
      stage.application.ask('GET', `/v1/review-cases/${expiring.reviewCaseId}`),
    )
    return seen.state === 'expired'
  })
  await cancelOne(stage)
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}

function opening(name: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    sessionId: `ses_demo_${name}`,
    checkpointId: `before-${name}`,
    resumeToken: `resume-${name}`,
    reasonCategory: 'high_risk_action',
    reviewTier: 'high',
    presentation: { action: 'payment', amount: '1200.00 EUR', to: 'ACME GmbH', step: name },
    idempotencyKey: `open-${name}`,
    ...more,
  }
}

async function open(
  stage: Stage,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Case> {
  return (await must(
    stage.application.ask('POST', '/v1/review-cases', opening(name, more)),
  )) as Case
}

async function act(
  stage: Stage,
  seen: Case,
  name: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Case> {
  const path = reviewerPath(seen, name)
  return (await must(
    stage.reviewer.ask('POST', path, { caseVersion: seen.caseVersion, ...body }),
  )) as Case
}

async function approveWithFollowUp(stage: Stage): Promise<void> {
  let seen = await open(stage, 'payment')
  seen = await act(stage, seen, 'claim')
  seen = await act(stage, seen, 'follow-up', { question: 'Who ordered this?' })
  seen = (await must(
    stage.application.ask('POST', reviewerPath(seen, 'follow-up-response'), {
      caseVersion: seen.caseVersion,
      answer: 'Purchase order 4711, signed by the head of procurement.',
    }),
  )) as Case
  seen = await act(stage, seen, 'decide', {
    presentationDigest: seen.presentationDigest,
    decision: 'approved',
    comment: 'Order checked.',
  })
  await must(
    stage.application.ask('POST', reviewerPath(seen, 'continuation'), { outcome: 'resumed' }),
  )
}

async function rejectWhileReceiverIsDown(stage: Stage): Promise<void> {
  await stage.receiver.kill()
  stage.say('  receiver: SIGKILL')
  let seen = await open(stage, 'transfer')
  seen = await act(stage, seen, 'claim')
  await act(stage, seen, 'decide', {
    presentationDigest: seen.presentationDigest,
    decision: 'rejected',
    comment: 'The account is on the watch list.',
  })
  await pause(1_000)
  await stage.receiver.start()
  stage.say('  receiver: back before the 5 s retry')
}

const burst = 40

/**
 * Acknowledged openings must be there afterwards; the others are sent again under their idempotency key. The agent runs
 * meanwhile, and its exporter sends again what was not acknowledged.
 */
async function burstThroughAKill(stage: Stage): Promise<void> {
  const names = Array.from({ length: burst }, (_, i) => `burst-${i}`)
  const acknowledged = new Map<string, string>()
  const opened = Promise.all(
    names.map(async (name, i) => {
      await pause(i * 5)
      if (i % 4 === 0) stage.agent.run(`ses_demo_${name}`, 20)
      const opening = await open(stage, name).catch(() => null)
      if (opening) acknowledged.set(name, opening.reviewCaseId)
    }),
  )
  await pause(burst * 3)
  await stage.server.kill()
  await opened
  stage.say(`  server: SIGKILL after ${acknowledged.size} of ${burst} openings were acknowledged`)
  await stage.server.start()
  for (const name of names) {
    const again = await open(stage, name)
    const before = acknowledged.get(name)
    if (before !== undefined && before !== again.reviewCaseId) {
      throw new Error(`${name}: ${before} was acknowledged, yet ${again.reviewCaseId} answers now`)
    }
  }
  await stage.agent.flush()
  stage.say('  server: back; every acknowledged case is there, the rest were opened again')
}

async function cancelOne(stage: Stage): Promise<void> {
  const seen = await open(stage, 'abandoned')
  await must(
    stage.application.ask('POST', reviewerPath(seen, 'cancel'), {
      reasonCategory: 'end_user_cancelled',
    }),
  )
}
