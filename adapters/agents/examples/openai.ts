import { createReviews } from '@countersign/agents'
import { idsOfDetails, resolveInterruptions, toldToModel } from '@countersign/agents/openai'
import { createClient } from '@countersign/client'
import { Agent, type Model, RunState, run, tool } from '@openai/agents'
import * as z from 'zod'

const client = createClient({ ingestUrl: process.env.COUNTERSIGN_INGEST_URL ?? '' })
const reviews = createReviews(client, { tools: { transfer: {} } })
const parameters = z.object({ to: z.string(), amount: z.number() })

/** Runs an agent to its end, from a prompt or from the state that was saved last. */
export async function converse(
  model: Model,
  sessionId: string,
  { prompt, saved }: { readonly prompt: string; readonly saved: string | null },
  save: (state: string) => Promise<void>,
): Promise<string | undefined> {
  const transfer = tool({
    name: 'transfer',
    description: 'Pay somebody',
    parameters,
    needsApproval: true,
    errorFunction: toldToModel, // without it the model is told to try again
    execute: reviews.guard(
      'transfer',
      async ({ to, amount }: z.infer<typeof parameters>) => `paid ${amount} to ${to}`,
      idsOfDetails(sessionId),
    ),
  })
  const agent = new Agent({ name: 'payer', tools: [transfer], model })
  let result = await run(agent, saved === null ? prompt : await RunState.fromString(agent, saved))
  for (;;) {
    await save(result.state.toString()) // before anyone is asked
    const asked = { sessionId, parameters: { transfer: parameters } } // by tool, what its guard is given
    const isResolved = await resolveInterruptions(reviews, result.state, asked)
    if (!isResolved) return result.finalOutput
    result = await run(agent, result.state)
  }
}
