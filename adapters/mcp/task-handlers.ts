import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { tasksExtension } from './case-answers.ts'
import { type OnProblem, toldOrAway } from './session-cases.ts'

/** What a task tells; null: there is no such task. */
export type Told = Readonly<Record<string, unknown>> | null

/** What answers for tasks, by the methods of the extension. */
export interface TaskAnswers {
  /** `signal` aborts once nobody waits for the answer. */
  get(taskId: string, signal: AbortSignal): Promise<Told>
  /** Takes the responses to what the task asked. */
  update(taskId: string, responses: unknown): Promise<Told>
  cancel(taskId: string, signal: AbortSignal): Promise<Told>
}

/** Declares the tasks extension of a server, and serves its methods. `onProblem` hears what the service met. */
export function handleTasks(
  { server }: McpServer,
  answers: TaskAnswers,
  onProblem: OnProblem,
): void {
  const params = z.object({ taskId: z.string() })
  const result = z.looseObject({})
  const found = async (answer: () => Promise<Told>) => {
    const told = await toldOrAway(answer, onProblem)
    if (told) return told
    throw new Error('there is no such task')
  }
  server.registerCapabilities({ extensions: { [tasksExtension]: {} } })
  server.setRequestHandler('tasks/get', { params, result }, ({ taskId }, { mcpReq }) =>
    found(() => answers.get(taskId, mcpReq.signal)),
  )
  server.setRequestHandler(
    'tasks/update',
    { params, result },
    // The SDK lifts the responses out of the parameters.
    ({ taskId }, { mcpReq }) => found(() => answers.update(taskId, mcpReq.inputResponses)),
  )
  server.setRequestHandler('tasks/cancel', { params, result }, ({ taskId }, { mcpReq }) =>
    found(() => answers.cancel(taskId, mcpReq.signal)),
  )
}
