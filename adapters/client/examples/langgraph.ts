import type { Client, ReviewOutcome } from '@countersign/client'
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  END,
  interrupt,
  START,
  StateGraph,
  type StateSnapshot,
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

/**
 * Runs the graph to its end, with a person's answer wherever it stops. Called again for the same thread, as after a
 * restart, it goes on where the thread is.
 */
export async function runGraph(
  client: Client,
  graph: ReturnType<typeof paymentGraph>,
  { threadId, payment }: { readonly threadId: string; readonly payment: Payment },
): Promise<string | null> {
  const config = { configurable: { thread_id: threadId } }
  for (;;) {
    const { createdAt, next, tasks, values } = await graph.getState(config)
    const resume = await answersTo(client, threadId, tasks)
    if (createdAt === undefined) await graph.invoke({ payment, receipt: null }, config)
    else if (resume) await graph.invoke(new Command({ resume }), config)
    else if (next.length > 0) await graph.invoke(null, config)
    else return values.receipt
  }
}

/** What people say to all that a thread stopped for, by the ids of the interrupts; null where it stopped for nothing. */
export async function answersTo(
  client: Client,
  threadId: string,
  tasks: StateSnapshot['tasks'],
): Promise<Record<string, ReviewOutcome> | null> {
  const stopped = tasks.flatMap(({ interrupts }) => interrupts)
  if (stopped.length === 0) return null
  const asked = stopped.map(async ({ id, value }) => {
    if (!id) throw new Error('expected the id of an interrupt, got none')
    const outcome = await client.reviewCases.request({
      sessionId: threadId,
      checkpointId: id,
      reasonCategory: 'high_risk_action',
      presentation: { action: { tool: 'pay', arguments: value } },
    })
    return [id, outcome] as const
  })
  // Without ids, one answer would be that to every interrupt.
  return Object.fromEntries(await Promise.all(asked))
}
