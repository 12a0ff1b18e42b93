import {
  type Disk,
  type Entry,
  memoryDisk,
  type Payment,
  type Scripted,
} from '@countersign/reference-server/reviewed'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { tool as langchainTool } from '@langchain/core/tools'
import {
  Annotation,
  type BaseCheckpointSaver,
  END,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { Agent, tool as openaiTool, Runner, RunState } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { generateText as generateText7, type ModelMessage as Message7, tool as tool7 } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { generateText as generateText6, type ModelMessage as Message6, tool as tool6 } from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import { createAgent } from 'langchain'
import * as z from 'zod'
import { answerApprovals, idsOf, toolApproval } from '../ai-sdk.ts'
import { canUseTool } from '../claude.ts'
import { decideHook } from '../hook/decide-hook.ts'
import { type InterruptAnswer, resumeOf, reviewMiddleware } from '../langchain.ts'
import * as openai from '../openai.ts'
import { NotRun } from '../verdict.ts'

export const payment = z.object({ to: z.string(), amount: z.number() })

/** What of an agent outlives its process, LangGraph's checkpoints among it. */
export interface SavedDisk extends Disk {
  readonly saver: BaseCheckpointSaver
}

/** What outlives an agent that is abandoned within this process. */
export const newDisk = (): SavedDisk => ({ ...memoryDisk(), saver: new MemorySaver() })

type Run = Entry<SavedDisk>['run']

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** What a mock model of the AI SDK answers: the calls, until a message has their results. */
export function generated(
  calls: readonly Scripted[],
  prompt: readonly { readonly role: string }[],
) {
  const hasCalled = prompt.some(({ role }) => role === 'tool')
  const content = hasCalled
    ? [{ type: 'text' as const, text: 'done' }]
    : calls.map(({ callId, input }) => ({
        type: 'tool-call' as const,
        toolCallId: callId,
        toolName: 'transfer',
        input: JSON.stringify(input),
      }))
  const unified = hasCalled ? ('stop' as const) : ('tool-calls' as const)
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
}

const aiSdk7: Run = async ({ reviews, sessionId, calls, disk, pay }) => {
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => generated(calls, prompt),
  })
  const execute = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = { transfer: tool7({ inputSchema: payment, execute }) }
  const messages: Message7[] = JSON.parse(disk.load() ?? '[{"role":"user","content":"Pay."}]')
  for (;;) {
    const answers = await answerApprovals(reviews, messages, { sessionId })
    if (answers) messages.push(answers)
    const { responseMessages, text } = await generateText7({
      model,
      tools,
      messages,
      toolApproval: { transfer: 'user-approval' },
    })
    messages.push(...responseMessages)
    disk.save(JSON.stringify(messages))
    if (text) return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
  }
}

const aiSdk6: Run = async ({ reviews, sessionId, calls, disk, pay }) => {
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => generated(calls, prompt),
  })
  const execute = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = { transfer: tool6({ inputSchema: payment, needsApproval: true, execute }) }
  const messages: Message6[] = JSON.parse(disk.load() ?? '[{"role":"user","content":"Pay."}]')
  for (;;) {
    const answers = await answerApprovals(reviews, messages, { sessionId })
    if (answers) messages.push(answers)
    const { response, text } = await generateText6({ model, tools, messages })
    messages.push(...response.messages)
    disk.save(JSON.stringify(messages))
    if (text) return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
  }
}

/** Asks in place, where nothing is kept: a restarted model makes the same calls, for this one is played. */
const aiSdkInPlace: Run = async ({ reviews, sessionId, calls, pay }) => {
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => generated(calls, prompt),
  })
  const execute = reviews.guard('transfer', pay, idsOf(sessionId))
  const tools = { transfer: tool7({ inputSchema: payment, execute }) }
  const messages: Message7[] = [{ role: 'user', content: 'Pay.' }]
  for (;;) {
    const { responseMessages, text } = await generateText7({
      model,
      tools,
      messages,
      toolApproval: toolApproval(reviews, { sessionId }),
    })
    messages.push(...responseMessages)
    if (text) return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)
  }
}

const langchain: Run = async ({ reviews, sessionId, calls, disk, pay }) => {
  const config = { configurable: { thread_id: sessionId } }
  const model = fakeModel()
  const scripted = calls.map(({ callId, input }) => ({ name: 'transfer', args: input, id: callId }))
  const isNew = disk.load() === null
  if (isNew) model.respondWithTools(scripted)
  model.respond(new AIMessage('done'))
  // The middleware checks and spends; the tool itself is plain.
  const transfer = langchainTool(
    (input: Payment) => pay(input, { reviewCaseId: null, presentationDigest: null }),
    { name: 'transfer', description: 'Pays', schema: payment },
  )
  const agent = createAgent({
    model,
    tools: [transfer],
    checkpointer: disk.saver,
    middleware: [reviewMiddleware(reviews)],
  })
  disk.save('begun')
  const first = { messages: [{ role: 'user' as const, content: 'Pay.' }] }
  const { messages } = await agent.invoke(isNew ? first : null, config)
  return JSON.stringify(messages.map(({ content }) => content))
}

/** Two nodes, each with an interrupt; `resume` answers both. */
export const langgraphBy =
  (resume: typeof resumeOf): Run =>
  async ({ reviews, sessionId, calls, disk, pay, alter }) => {
    const config = { configurable: { thread_id: sessionId } }
    const State = Annotation.Root({
      heard: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
    })
    const review = (nth: number) => async () => {
      const call = calls[nth]
      if (!call) return { heard: [] }
      const answer: InterruptAnswer = interrupt({ tool: 'transfer', input: call.input })
      if (!answer.approved) return { heard: [answer.reason] }
      const guarded = reviews.guard('transfer', pay, () => answer)
      const done = await guarded(alter?.(call.input) ?? call.input).catch(messageOf)
      return { heard: [done] }
    }
    const graph = new StateGraph(State)
      .addNode('one', review(0))
      .addNode('two', review(1))
      .addEdge(START, 'one')
      .addEdge(START, 'two')
      .addEdge('one', END)
      .addEdge('two', END)
      .compile({ checkpointer: disk.saver })
    const resumed = () =>
      resume(reviews, graph, config, ({ tool, input }: { tool: string; input: Payment }) => ({
        name: tool,
        input,
      }))
    let next: Awaited<ReturnType<typeof resume>> | { heard: string[] } =
      (await resumed()) ?? (disk.load() === null ? { heard: [] } : null)
    disk.save('begun')
    for (;;) {
      const { heard } = await graph.invoke(next, config)
      next = await resumed()
      if (!next) return JSON.stringify(heard)
    }
  }

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

/** No framework: a loop that calls the guarded function. */
const plain: Run = async ({ reviews, sessionId, calls, pay }) => {
  const transfer = reviews.guard('transfer', pay, (_, callId: string) => ({ sessionId, callId }))
  const done = calls.map(({ callId, input }) => transfer(input, callId).catch(messageOf))
  return JSON.stringify(await Promise.all(done))
}

function messageOf(error: unknown): string {
  if (error instanceof NotRun) return error.message
  throw error
}

/** The SDK itself needs its program: what it asks before a call, it asks here. */
const claude: Run = async ({ reviews, sessionId, calls, pay }) => {
  const mayUse = canUseTool(reviews, { sessionId })
  const { signal } = new AbortController()
  const done = calls.map(async ({ callId, input }) => {
    const permission = await mayUse('transfer', { ...input }, { signal, toolUseID: callId })
    if (permission.behavior === 'deny') return permission.message
    const context = { reviewCaseId: null, presentationDigest: null }
    return pay(payment.parse(permission.updatedInput), context)
  })
  return JSON.stringify(await Promise.all(done))
}

/** What Claude does by the hook: a call that is deferred is asked for again, as `resume` does. */
const claudeHook: Run = async ({ reviews, sessionId, calls, pay }) => {
  const asked = async ({ callId, input }: Scripted): Promise<string> => {
    const call = {
      session_id: sessionId,
      tool_use_id: callId,
      tool_name: 'transfer',
      tool_input: input,
    }
    const { hookSpecificOutput: answer } = await decideHook(reviews, call, { interactive: false })
    const { permissionDecision, permissionDecisionReason, updatedInput } = answer
    if (permissionDecision === 'allow')
      return pay(payment.parse(updatedInput), { reviewCaseId: null, presentationDigest: null })
    if (permissionDecision === 'deny') return permissionDecisionReason
    await new Promise((resolve) => setTimeout(resolve, 50))
    return asked({ callId, input })
  }
  return JSON.stringify(await Promise.all(calls.map(asked)))
}

/** The agents by their ways into a framework. */
export const entries: Readonly<Record<string, Entry<SavedDisk>>> = {
  'a plain guard': { run: plain },
  'AI SDK 7, handed out': { run: aiSdk7 },
  'AI SDK 6, handed out': { run: aiSdk6 },
  'AI SDK 7, in place': { run: aiSdkInPlace, stepwise: true },
  'LangChain middleware': { run: langchain },
  'LangGraph interrupts': { run: langgraphBy(resumeOf) },
  'OpenAI Agents': { run: openaiAgents },
  "Claude's canUseTool": { run: claude },
  "Claude's hook": { run: claudeHook, asksAlways: true, deniesAway: true },
}
