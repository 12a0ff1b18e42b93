import type { Client, ReviewOutcome } from '@countersign/client'
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  END,
  INTERRUPT,
  interrupt,
  isInterrupted,
  START,
  StateGraph,
} from '@langchain/langgraph'
import type { Pay, Payment } from './payment.ts'

const State = Annotation.Root({
  payment: Annotation<Payment>,
  receipt: Annotation<string | null>,
})

/** A graph that stops before it pays; LangGraph keeps where it stopped under the thread's id. */
export function paymentGraph(pay: Pay, checkpointer: BaseCheckpointSaver) {
  return new StateGraph(State)
    .addNode(
      'review',
      ({ payment }) => {
        const outcome: ReviewOutcome = interrupt(payment)
        return new Command({ goto: outcome.approved ? 'pay' : END })
      },
      { ends: ['pay', END] },
    )
    .addNode('pay', async ({ payment }) => ({ receipt: await pay(payment) }))
    .addEdge(START, 'review')
    .addEdge('pay', END)
    .compile({ checkpointer })
}

/** Runs the graph, has a person look at what it stopped for, and resumes it with their answer. */
export async function runGraph(
  client: Client,
  graph: ReturnType<typeof paymentGraph>,
  { threadId, payment }: { readonly threadId: string; readonly payment: Payment },
): Promise<string | null> {
  const config = { configurable: { thread_id: threadId } }
  let state = await graph.invoke({ payment, receipt: null }, config)
  while (isInterrupted<Payment>(state)) {
    const [stopped] = state[INTERRUPT]
    if (!stopped?.value || !stopped.id) throw new Error('the graph stopped without saying for what')
    const outcome = await client.reviewCases.request({
      sessionId: threadId,
      checkpointId: stopped.id,
      reasonCategory: 'high_risk_action',
      presentation: { action: 'pay', ...stopped.value },
    })
    state = await graph.invoke(new Command({ resume: outcome }), config)
  }
  return state.receipt
}
