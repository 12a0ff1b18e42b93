import type { Action, CallVerdict, Reviews, RunContext, ToolCall } from '@countersign/agents'
import type { Client } from '@countersign/client'
import {
  isPastDeadline,
  isWithdrawn,
  newTaskOf,
  refusalOf,
  type ToolAnswer,
  taskOf,
} from './case-answers.ts'
import { isTooDeep, tooDeepText } from './json-levels.ts'
import { answerQuestion, withdraw } from './session-cases.ts'
import type { TaskAnswers, Told } from './task-handlers.ts'
import { createTaskIds, type FoundTask } from './task-ids.ts'
import { withinMs } from './within-ms.ts'

/** What tasks of a session's cases are made of. */
export interface CaseTasksOptions {
  readonly client: Client
  readonly reviews: Reviews
  /** Session of the cases; those of others are not found. */
  readonly sessionId: string
  /** Key of the MAC in task ids: the same in all processes that answer for them, at least 32 characters. */
  readonly secret: string
  /** Results of this process's runs by their tasks' ids, for who asks again: each is of one case and one action. */
  readonly results: Map<string, Promise<ToolAnswer | null>>
}

/** Runs an action that was approved. */
export type ActOn = (action: Action, context: RunContext) => Promise<ToolAnswer>

/**
 * Calls as tasks of MCP. The case is the task: whichever process is asked for it once it is approved reads tool and
 * arguments there, spends the approval and runs. A task's id carries a MAC over both, so that nothing runs but what was
 * asked for, whatever the service answers.
 */
export interface CaseTasks extends Pick<TaskAnswers, 'update'> {
  /**
   * Asks for a call: the answer is a task, or why it is not made. One that was approved before runs when its task is
   * polled: a client waits longer for that, and one that left polls no more.
   */
  start(call: ToolCall): Promise<ToolAnswer>
  /**
   * How a task is, which runs once it is approved. `knows`: the tools that this process can run, all of them unless
   * given; the approval of another's call stays for a process that can.
   */
  get(taskId: string, act: ActOn, knows?: (tool: string) => boolean): Promise<Told>
  /** Withdraws the request, or spends its approval, so that the action never runs; one that began goes on. */
  cancel(taskId: string): Promise<Told>
}

/** Results that a process keeps; the oldest go first. */
const mostResults = 1_000
/** Ms that a request waits for a tool that runs, before it is told that it does, and for checks of signatures. */
const patienceMs = 5_000

/** Creates the tasks of a session. */
export function createCaseTasks(options: CaseTasksOptions): CaseTasks {
  const { client, reviews, sessionId, secret, results } = options
  const ids = createTaskIds(client, sessionId, secret)

  const callOf = ({ tool, arguments: input }: Action): ToolCall => ({
    sessionId,
    callId: '',
    name: tool,
    input,
  })

  /** What comes of an approval; null while the service takes no claim. A run's result is kept for who asks again. */
  function finished(
    { taskId, action, review }: FoundTask,
    verdict: CallVerdict,
    { act, signal }: { readonly act: ActOn; readonly signal: AbortSignal },
  ): Promise<ToolAnswer | null> {
    const { reviewCaseId, presentationDigest } = review
    const run = async (): Promise<ToolAnswer | null> => {
      // The same content is asked anew past a deadline: who polls so late need not mean it any more.
      const how = { beforeDeadline: true, signal }
      const { approved, code, reason } = await reviews.spend(callOf(action), verdict, how)
      if (approved)
        return act(action, { reviewCaseId, presentationDigest }).then(writable).catch(failureOf)
      results.delete(taskId)
      return code === 'refused' ? null : refusalOf(reason)
    }
    const result = run().catch((error: unknown) => {
      results.delete(taskId)
      // Not by then: the next poll goes on with it.
      if (signal.aborted) return null
      throw error
    })
    results.set(taskId, result)
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
    async start(call) {
      if (isTooDeep(call.input)) return refusalOf(`The call was not made: ${tooDeepText}.`)
      // What is asked for, not what the service says of it, nor what becomes of the call meanwhile.
      const input: unknown = JSON.parse(JSON.stringify(call.input ?? null))
      const action = { tool: call.name, arguments: input }
      const opened = await withinMs(patienceMs, (signal) =>
        reviews.open({ ...call, input }, { signal }),
      )
      if (!opened) return refusalOf(notOpened)
      const { verdict, review } = opened
      // Another action's case is at this place, or nobody could be asked.
      if (!review) return refusalOf(verdict?.reason ?? 'No reviewer could be asked.')
      if (verdict && !verdict.approved) return refusalOf(verdict.reason)
      return newTaskOf(review, ids.of(review.reviewCaseId, action))
    },
    get: (id, act, knows = () => true) =>
      withTask(id, async (task) => {
        const { taskId, review, action } = task
        const isOver = review.state === 'decided' || review.state === 'expired'
        if (!isOver || isWithdrawn(review)) return taskOf(review, { taskId, result: null })
        const isFree = review.continuation === null && !isPastDeadline(review)
        const result = await withinMs(patienceMs, async (signal) => {
          const verdict = await reviews.verdictOf(callOf(action), review, { signal })
          // What ran, ran: whatever becomes of its approval, nobody is told that it did not.
          const known = results.get(taskId)
          if (known) return known
          if (!verdict || verdict.code === 'refused') return null
          if (!verdict.approved) return refusalOf(verdict.reason)
          const isKept = isFree && !knows(action.tool)
          return isKept ? null : finished(task, verdict, { act, signal })
        })
        return taskOf(review, { taskId, result })
      }),
    update: (id, responses) =>
      withTask(id, async ({ review }) => {
        await answerQuestion(client, review, responses)
        return {}
      }),
    cancel: (id) =>
      withTask(id, async ({ review, action }) => {
        const call = callOf(action)
        const cancelled = await withinMs(patienceMs, (signal) =>
          withdraw(client, review, async (approved) => {
            const verdict = await reviews.verdictOf(call, approved, { signal })
            return verdict && reviews.spend(call, verdict, { signal })
          }),
        )
        if (!cancelled) throw new Error(`the task ${id} was not cancelled in time`)
        return {}
      }),
  }
}

const notOpened =
  'What became of this call could not be learnt yet; it was not made. Make exactly the same call again later.'

/** An answer that can be written. */
function writable(answer: ToolAnswer): ToolAnswer {
  return isTooDeep(answer)
    ? refusalOf(`The tool ran, and its result is lost: ${tooDeepText}.`)
    : answer
}

function failureOf(error: unknown): ToolAnswer {
  return refusalOf(error instanceof Error ? error.message : 'The tool failed.')
}
