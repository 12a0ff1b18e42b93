import type { Client as Application } from '@countersign/client'
import type { Agent } from './agent.ts'
import { type Client, must } from './client.ts'
import { until } from './processes.ts'

/** What the reviewed run of the agent needs. */
export interface AgentStage {
  readonly agent: Agent
  readonly applicationId: string
  /** With the application's key. */
  readonly application: Application
  /** With the sessions of the admin and of the reviewer. */
  readonly admin: Client
  readonly reviewer: Client
  readonly say: (line: string) => void
}

const session = 'ses_demo_agent'
const transfer = 1_200

const rules = [
  {
    name: 'Large transfers',
    match: {
      toolNames: ['payments.*'],
      attributes: [{ key: 'amount', op: 'gte', value: 1_000 }],
    },
    effect: 'require_review',
    reasonCategory: 'high_risk_action',
    reviewTier: 'high',
  },
]

/** Spans of a run come in, a policy opens a case in the commit of the step that it matched, and a human approves. */
export async function reviewTracedRun(stage: AgentStage): Promise<void> {
  const { agent, admin, reviewer, applicationId, application, say } = stage
  const rulesPath = `/v1/applications/${applicationId}/policy-rules`
  await must(admin.ask('PUT', rulesPath, { ruleSetVersion: 0, rules }))
  agent.run(session, transfer)
  await agent.flush()
  const listed = await must(reviewer.ask('GET', '/v1/review-cases?state=open'))
  const open = listed.reviewCases as readonly { reviewCaseId: string; sessionId: string }[]
  const opened = open.find(({ sessionId }) => sessionId === session)
  if (!opened) throw new Error(`the policy opened no case for a transfer of ${transfer}`)
  const path = `/v1/review-cases/${opened.reviewCaseId}`
  const claimed = await must(reviewer.ask('POST', `${path}/claim`, {}))
  const { step } = claimed.presentation as { readonly step: { readonly stepId: string } }
  const shown = await must(reviewer.ask('GET', `/v1/sessions/${session}/steps/${step.stepId}`))
  const { input } = shown.payload as { readonly input: unknown }
  say(`  the policy opened a case; the reviewer reads what the tool is to do: ${input}`)
  await must(
    reviewer.ask('POST', `${path}/decide`, {
      caseVersion: claimed.caseVersion,
      presentationDigest: claimed.presentationDigest,
      decision: 'approved',
      comment: 'The order is known.',
    }),
  )
  const { reviewCaseId } = opened
  await application.reviewCases.reportContinuation({ reviewCaseId, outcome: 'resumed' })
}

/** A minute without a span completes a session; a work item then seals it and another anchors the seal. */
export async function sealSessions(
  reviewer: Client,
  passTime: (ms: number) => Promise<void>,
): Promise<void> {
  await passTime(61_000)
  await until('the session to be sealed', 20_000, async () => {
    const { status, body } = await reviewer.ask('GET', `/v1/sessions/${session}/proof`)
    if (status === 200) return (body.anchor as { readonly status: string }).status === 'recorded'
    await passTime(500)
    return false
  })
}
