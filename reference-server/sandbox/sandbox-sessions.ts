import type { SubmittedSession, SubmittedStep } from '@countersign/core'

const minute = 60_000

/** An agent of the sandbox, and what its sessions are about. */
export interface SandboxAgent {
  readonly application: string
  readonly agent: { readonly name: string; readonly version: string }
  readonly model: string
  readonly tool: string
  /** What its tool is called with, by the number of the session. */
  readonly call: (number: number) => Readonly<Record<string, string | number>>
  /** Which session calls a tool that the rules deny. */
  readonly denied: { readonly session: number; readonly tool: string }
}

/** The sandbox's two applications. */
export const sandboxAgents: readonly SandboxAgent[] = [
  {
    application: 'Support assistant',
    agent: { name: 'support-assistant', version: '2.4.0' },
    model: 'example-large-1',
    tool: 'issue_refund',
    call: (number) => ({ order: `order-${1000 + number}`, amount: 40 + ((number * 173) % 1900) }),
    denied: { session: 7, tool: 'delete_customer' },
  },
  {
    application: 'Claims triage',
    agent: { name: 'claims-triage', version: '1.9.2' },
    model: 'example-small-3',
    tool: 'set_reserve',
    call: (number) => ({ claim: `claim-${2000 + number}`, amount: 90 + ((number * 421) % 1800) }),
    denied: { session: 4, tool: 'close_claim' },
  },
]

/** Sessions of each application. */
export const sessionsPerAgent = 12

/** A session of an agent, number from 0; the later ones ended shortly before `until`. */
export function sandboxSession(
  agent: SandboxAgent,
  number: number,
  until: number,
): SubmittedSession {
  const startedAt = until - (sessionsPerAgent - number) * 317 * minute
  const at = (seconds: number) => new Date(startedAt + seconds * 1_000).toISOString()
  const sessionId = `${agent.agent.name}-${String(number + 1).padStart(3, '0')}`
  const fails = number % 6 === 5
  const call = agent.call(number)
  const tool = number === agent.denied.session ? agent.denied.tool : agent.tool
  const asked = `Please look at ${Object.values(call)[0]}.`
  const step = (stepId: string, from: number, to: number) =>
    ({ stepId, startedAt: at(from), endedAt: at(to), status: 'ok' }) as const
  const steps: readonly SubmittedStep[] = [
    { ...step('s1', 0, 62), type: 'agent', name: agent.agent.name, input: asked },
    {
      ...step('s2', 1, 9),
      ...{ parentStepId: 's1', type: 'llm', name: 'plan', model: agent.model },
      ...{ inputTokens: 410 + number * 13, outputTokens: 96 + number * 5 },
      input: asked,
      output: `Call ${tool}.`,
    },
    {
      ...step('s3', 10, 31),
      ...{ parentStepId: 's1', type: 'tool', name: tool, toolName: tool, attributes: call },
      status: fails ? 'error' : 'ok',
      ...{ checkpointId: `before-${tool}`, dataCategories: ['customer'] },
      input: call,
      output: fails ? null : { done: true },
    },
    {
      ...step('s4', 32, 40),
      ...{ parentStepId: 's1', type: 'guardrail', name: 'no-personal-data' },
    },
    {
      ...step('s5', 41, 61),
      ...{ parentStepId: 's1', type: 'llm', name: 'answer', model: agent.model },
      ...{ inputTokens: 520 + number * 11, outputTokens: 140 + number * 7 },
      output: fails ? 'The tool failed.' : 'Done.',
    },
  ]
  return {
    sessionId,
    startedAt: at(0),
    endedAt: at(62),
    status: fails ? 'failed' : 'completed',
    dataSubjectId: `customer-${(number % 8) + 1}`,
    agent: agent.agent,
    metadata: { channel: number % 2 === 0 ? 'chat' : 'mail' },
    steps,
    scores: [{ name: 'helpfulness', value: (60 + ((number * 7) % 40)) / 100 }],
  }
}
