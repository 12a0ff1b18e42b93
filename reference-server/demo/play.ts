import type { CaseAnswer, ReviewRequest } from '@countersign/client'
import { type AgentStage, reviewTracedRun } from './agent-scenes.ts'
import { must } from './client.ts'
import { type Program, pause, until } from './processes.ts'
import { approveSigned, type SigningStage } from './signer.ts'

/** What the play needs: two processes that may die, and the hosts as their users see them. */
export interface Stage extends AgentStage, SigningStage {
  readonly server: Program
  readonly receiver: Program
}

const reviewerPath = ({ reviewCaseId }: Pick<CaseAnswer, 'reviewCaseId'>, act: string) =>
  `/v1/review-cases/${reviewCaseId}/${act}`

/** The main job: each scene goes through real HTTP, and two of them lose a process on the way. */
export async function play(stage: Stage): Promise<void> {
  const { say, application } = stage
  say("an agent wants to pay, and a policy wants a human's word")
  await reviewTracedRun(stage)
  say('a payment waits for a human')
  await approveWithFollowUp(stage)
  say('a case that nobody decides')
  const deadlines = { dueAt: inSeconds(1), expiresAt: inSeconds(2) }
  const expiring = application.reviewCases.request({ ...opening('expiring'), ...deadlines })
  say('a human says no while the receiver is down')
  await rejectWhileReceiverIsDown(stage)
  say('the server is killed in the middle of a burst, and while the application waits')
  await burstThroughAKill(stage)
  expect(await expiring, 'expired')
  const abandoned = await application.reviewCases.open(opening('abandoned'))
  await application.reviewCases.cancel({ case: abandoned, reasonCategory: 'end_user_cancelled' })
  say('a reviewer signs with a key of their own, which the application pins')
  await approveSigned(stage)
}

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}

function opening(name: string): ReviewRequest {
  return {
    sessionId: `ses_demo_${name}`,
    checkpointId: `before-${name}`,
    resumeToken: `resume-${name}`,
    reasonCategory: 'high_risk_action',
    reviewTier: 'high',
    presentation: { action: 'payment', amount: '1200.00 EUR', to: 'ACME GmbH', step: name },
  }
}

function expect({ decision }: { readonly decision: string }, expected: string): void {
  if (decision !== expected) throw new Error(`expected ${expected}, got ${decision}`)
}

async function act(
  stage: Stage,
  seen: CaseAnswer,
  name: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<CaseAnswer> {
  const path = reviewerPath(seen, name)
  const answer = await must(
    stage.reviewer.ask('POST', path, { caseVersion: seen.caseVersion, ...body }),
  )
  return answer as unknown as CaseAnswer
}

async function decide(
  stage: Stage,
  seen: CaseAnswer,
  decision: 'approved' | 'rejected',
  comment: string,
): Promise<void> {
  const { presentationDigest } = seen
  await act(stage, seen, 'decide', { presentationDigest, decision, comment })
}

/** The application asks in one call, and answers what the reviewer wants to know. */
async function approveWithFollowUp(stage: Stage): Promise<void> {
  const { reviewCases } = stage.application
  let opened = (_: CaseAnswer) => {}
  const open = new Promise<CaseAnswer>((resolve) => {
    opened = resolve
  })
  const asked = reviewCases.request(opening('payment'), {
    onOpen: (review) => opened(review),
    onFollowUp: () => 'Purchase order 4711, signed by the head of procurement.',
  })
  const claimed = await act(stage, await open, 'claim')
  let seen = await act(stage, claimed, 'follow-up', { question: 'Who ordered this?' })
  await until('the answer of the application', 10_000, async () => {
    seen = await reviewCases.read({ case: seen })
    return seen.followUps.every(({ answer }) => answer !== null)
  })
  await decide(stage, seen, 'approved', 'Order checked.')
  const outcome = await asked
  expect(outcome, 'approved')
  await reviewCases.reportContinuation({ ...named(outcome), outcome: 'resumed' })
}

function named({ reviewCaseId }: { readonly reviewCaseId: string }) {
  return { reviewCaseId }
}

async function rejectWhileReceiverIsDown(stage: Stage): Promise<void> {
  await stage.receiver.kill()
  stage.say('  receiver: SIGKILL')
  const opened = await stage.application.reviewCases.open(opening('transfer'))
  const seen = await act(stage, opened, 'claim')
  await decide(stage, seen, 'rejected', 'The account is on the watch list.')
  await pause(1_000)
  await stage.receiver.start()
  stage.say('  receiver: back before the 5 s retry')
}

const burst = 40

/**
 * Acknowledged openings must be there afterwards; the others are sent again under their idempotency key. The agent runs
 * meanwhile, and its exporter sends again what was not acknowledged; who waits for a human goes on waiting.
 */
async function burstThroughAKill(stage: Stage): Promise<void> {
  const { reviewCases } = stage.application
  const names = Array.from({ length: burst }, (_, i) => `burst-${i}`)
  const acknowledged = new Map<string, string>()
  const open = (name: string, signal?: AbortSignal) =>
    reviewCases.open({ ...opening(name), idempotencyKey: `open-${name}` }, signal ? { signal } : {})
  const patient = reviewCases.request(opening('patient'))
  const killed = new AbortController()
  const opened = Promise.all(
    names.map(async (name, i) => {
      await pause(i * 5)
      if (i % 4 === 0) stage.agent.run(`ses_demo_${name}`, 20)
      const review = await open(name, killed.signal).catch(() => null)
      if (review) acknowledged.set(name, review.reviewCaseId)
    }),
  )
  await pause(burst * 3)
  await stage.server.kill()
  killed.abort()
  await opened
  stage.say(`  server: SIGKILL after ${acknowledged.size} of ${burst} openings were acknowledged`)
  await stage.server.start()
  for (const name of names) {
    const again = await open(name)
    const before = acknowledged.get(name)
    if (before !== undefined && before !== again.reviewCaseId) {
      throw new Error(`${name}: ${before} was acknowledged, yet ${again.reviewCaseId} answers now`)
    }
  }
  await stage.agent.flush()
  stage.say('  server: back; every acknowledged case is there, the rest were opened again')
  // The case that the application waits for since before the kill.
  const waitedFor = await reviewCases.open({ ...opening('patient'), idempotencyKey: 'look' })
  await decide(stage, await act(stage, waitedFor, 'claim'), 'approved', 'Still fine.')
  expect(await patient, 'approved')
  stage.say('  the application, which waited all the while, has its answer')
}
