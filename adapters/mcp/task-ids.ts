import { type Action, actionOf } from '@countersign/agents'
import type { CaseAnswer, Client } from '@countersign/client'
import { isSameText, sealing } from './sealed-id.ts'
import { findCase } from './session-cases.ts'

/** A task, as its case has it. */
export interface FoundTask {
  readonly taskId: string
  readonly review: CaseAnswer
  readonly action: Action
}

/** Ids of tasks for a session's cases: a case's id, and a MAC over the case and what runs once it is approved. */
export interface TaskIds {
  of(reviewCaseId: string, action: Action): string
  /** The case of such an id, which shows what the id was made for; null for any other id. */
  find(taskId: string): Promise<FoundTask | null>
}

/** Creates the ids of a session. `secret`: key of the MAC, at least 32 characters. */
export function createTaskIds(client: Client, sessionId: string, secret: string): TaskIds {
  const seal = sealing(secret)
  const of: TaskIds['of'] = (reviewCaseId, { tool, arguments: input }) =>
    seal(reviewCaseId, [sessionId, tool, input])

  return {
    of,
    async find(taskId) {
      const [reviewCaseId = ''] = taskId.split('.')
      const review = await findCase(client, sessionId, reviewCaseId)
      const action = review && actionOf(review)
      if (!review || !action || !isSameText(taskId, of(reviewCaseId, action))) return null
      return { taskId, review, action }
    },
  }
}
