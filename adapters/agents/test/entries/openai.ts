import { Agent, tool as openaiTool, Runner, RunState } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import * as openai from '../../openai.ts'
import { type Entries, payment, type Run } from './play.ts'

const openaiAgents: Run = async ({ reviews, sessionId, calls, disk, pay }) => {
  const guarded = reviews.guard('transfer', pay, openai.idsOfDetails(sessionId))
  const transfer = openaiTool({
    name: 'transfer',
    description: 'Pays',
    parameters: payment,
    needsApproval: true,
    errorFunction: openai.toldToModel,
    execute: guarded,
  })
  const made = calls.map(({ callId, input }) => functionCall('transfer', { ...input }, { callId }))
  const saved = disk.load()
  const model = new ScriptedModel([...(saved ? [] : [made]), [assistantMessage('done')]])
  const agent = new Agent({ name: 'payer', tools: [transfer], model })
  const runner = new Runner({ tracingDisabled: true })
  let result = await runner.run(agent, saved ? await RunState.fromString(agent, saved) : 'Pay.')
  for (;;) {
    disk.save(result.state.toString())
    const asked = { sessionId, parameters: { transfer: payment } }
    if (!(await openai.resolveInterruptions(reviews, result.state, asked)))
      return JSON.stringify(result.history)
    result = await runner.run(agent, result.state)
  }
}

export const entries: Entries = { 'OpenAI Agents': { run: openaiAgents } }
