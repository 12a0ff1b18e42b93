import type { Payment } from '@countersign/reference-server/reviewed'
import { AIMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { tool as langchainTool } from '@langchain/core/tools'
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { createAgent } from 'langchain'
import {
  type InterruptAnswer,
  idsOfInterrupt,
  resumeOf,
  reviewMiddleware,
} from '../../langchain.ts'
import { type Entries, messageOf, payment, type Run } from './play.ts'

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
    checkpointer: await disk.saver(),
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
    const review = (nth: number) => async (_: unknown, node: object) => {
      const call = calls[nth]
      if (!call) return { heard: [] }
      const answer: InterruptAnswer = interrupt({ tool: 'transfer', input: call.input })
      if (!answer.approved) return { heard: [answer.reason] }
      const guarded = reviews.guard('transfer', pay, () => idsOfInterrupt(answer, node))
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
      .compile({ checkpointer: await disk.saver() })
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

export const entries: Entries = {
  'LangChain middleware': { run: langchain },
  'LangGraph interrupts': { run: langgraphBy(resumeOf) },
}
