import {
  type Action,
  callVerdictOf,
  type Reviews,
  type RunContext,
  type ToolCall,
} from '@countersign/agents'
import type { CaseAnswer, Client } from '@countersign/client'
import * as z from 'zod'
import { questionOf, refusalOf, type ToolAnswer, taskOf } from './case-answers.ts'
import { createTaskIds, type FoundTask } from './task-ids.ts'

/** What tasks of a session's cases are made of. */
export interface CaseTasksOptions {
  readonly client: Client
  readonly reviews: Reviews
  /** Session of the cases; those of others are not found. */
  readonly sessionId: string
  /** Key of the MAC in task ids: the same in all processes that answer for them, at least 32 characters. */
  readonly secret: string
  /** Results of this process by their cases' ids, for who asks again. */
  readonly results: Map<string, Promise<ToolAnswer>>
}

/** Runs an action that was approved. */
export type ActOn = (action: Action, context: RunContext) => Promise<ToolAnswer>

/** What a task tells; null: there is no such task. */
type Told = Readonly<Record<string, unknown>> | null

/**
 * Calls as tasks of MCP. The case is the task: whichever process is asked for it once it is approved reads tool and
 * arguments there, spends the approval and runs. A task's id carries a MAC over both, so that nothing runs but what was
 * asked for, whatever the service answers.
 */
export interface CaseTasks {
  /** Asks for a call: the answer is a task, or what came of the call where that was decided before. */
  start(call: ToolCall, act: ActOn): Promise<ToolAnswer>
  /** How a task is, which runs once it is approved. */
  get(taskId: string, act: ActOn): Promise<Told>
  /** Answers a reviewer's question, by the responses of `tasks/update`. */
  update(taskId: string, responses: unknown): Promise<Told>
  cancel(taskId: string): Promise<Told>
}

/** Results that a process keeps; the oldest go first. */
const mostResults = 1_000
/** Ms that a poll waits for a tool that runs, before it is told that it does. */
const patienceMs = 5_000

const answered = z.object({
  answer: z.object({ action: z.literal('accept'), content: z.object({ answer: z.string() }) }),
})

/** Creates the tasks of a session. */
export function createCaseTasks(options: CaseTasksOptions): CaseTasks {
  const { client, reviews, sessionId, secret, results } = options
  const ids = createTaskIds(client, sessionId, secret)

  /** Runs the action under this approval, once; what it answers is kept for who asks again. */
  function finished(review: CaseAnswer, action: Action, act: ActOn): Promise<ToolAnswer> {
    const { reviewCaseId, presentationDigest } = review
    const known = results.get(reviewCaseId)
    if (known) return known
    const run = async (): Promise<ToolAnswer> => {
      const call = { sessionId, callId: '', name: action.tool, input: action.arguments }
      const { approved, reason } = await reviews.spend(call, callVerdictOf(review, 'tell'))
      return approved ? act(action, { reviewCaseId, presentationDigest }) : refusalOf(reason)
    }
    const result = run().catch((error: unknown) =>
      refusalOf(error instanceof Error ? error.message : 'The tool failed.'),
    )
    results.set(reviewCaseId, result)
    for (const oldest of results.keys()) {
      if (results.size <= mostResults) break
      results.delete(oldest)
    }
    return result
  }

  /** Tells a task what `act` makes of it. */
  const withTask = async (
    taskId: string,
    act: (task: FoundTask) => Promise<object> | object,
  ): Promise<Told> => {
    const task = await ids.find(taskId)
    return task && { resultType: 'complete', ...(await act(task)) }
  }

  return {
    async start(call, act) {
      const { verdict, review } = await reviews.open(call)
      // Another action's case is at this place, or nobody could be asked.
      if (!review || verdict?.code === 'changed' || verdict?.code === 'refused')
        return refusalOf(verdict?.reason ?? 'No reviewer could be asked.')
      // What was asked for, not what the service says of it.
      const input: unknown = JSON.parse(JSON.stringify(call.input ?? null))
      const action = { tool: call.name, arguments: input }
      if (verdict) return finished(review, action, act)
      const taskId = ids.of(review.reviewCaseId, action)
      return { resultType: 'task', ...taskOf(review, { taskId, result: null }), content: [] }
    },
    get: (id, act) =>
      withTask(id, async ({ taskId, review, action }) => {
        const isOver = review.state === 'decided' || review.state === 'expired'
        const result = isOver ? await withinMs(patienceMs, finished(review, action, act)) : null
        return taskOf(review, { taskId, result })
      }),
    update: (id, responses) =>
      withTask(id, async ({ review }) => {
        const given = answered.safeParse(responses)
        if (given.success && questionOf(review) !== null) {
          const { answer } = given.data.answer.content
          await client.reviewCases.answerFollowUp({ case: review, answer })
        }
        return {}
      }),
    cancel: (id) =>
      withTask(id, async ({ review: { reviewCaseId, state } }) => {
        if (state === 'open')
          await client.reviewCases.cancel({ reviewCaseId, reasonCategory: 'end_user_cancelled' })
        return {}
      }),
  }
}

/** What comes within so many ms; null for what takes longer. */
async function withinMs<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
