import { createReviews } from '@countersign/agents'
import { type InterruptAnswer, idsOfInterrupt, resumeOf } from '@countersign/agents/langchain'
import { createClient } from '@countersign/client'
import {
  Annotation,
  type BaseCheckpointSaver,
  interrupt,
  START,
  StateGraph,
} from '@langchain/langgraph'

const client = createClient({ ingestUrl: process.env.COUNTERSIGN_INGEST_URL ?? '' })
const reviews = createReviews(client, { tools: { pay: {} } })
const State = Annotation.Root({ amount: Annotation<number>, receipt: Annotation<string> })

/** Runs a graph that pays on a thread; called again for the thread, it goes on where that is. */
export async function payment(
  checkpointer: BaseCheckpointSaver,
  threadId: string,
  amount: number,
): Promise<string> {
  const graph = new StateGraph(State)
    .addNode('pay', async (state, thread) => {
      const answer: InterruptAnswer = interrupt({ tool: 'pay', input: { amount: state.amount } })
      if (!answer.approved) return { receipt: answer.reason }
      const act = async (input: { amount: number }) => `paid ${input.amount}`
      // By the thread and the answer's id, the guard finds the case, and spends it.
      const pay = reviews.guard('pay', act, () => idsOfInterrupt(answer, thread))
      return { receipt: await pay({ amount: state.amount }) }
    })
    .addEdge(START, 'pay')
    .compile({ checkpointer })
  const config = { configurable: { thread_id: threadId } }
  const call = ({ tool, input }: { tool: string; input: unknown }) => ({ name: tool, input })
  let next = await resumeOf(reviews, graph, config, call) // null where it stopped for nothing
  let state = await graph.invoke(next ?? { amount }, config)
  for (;;) {
    next = await resumeOf(reviews, graph, config, call)
    if (!next) return state.receipt
    state = await graph.invoke(next, config)
  }
}
