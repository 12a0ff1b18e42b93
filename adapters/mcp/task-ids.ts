import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Action, actionOf } from '@countersign/agents'
import type { CaseAnswer, Client } from '@countersign/client'
import { canonicalize } from '@countersign/core/canonical'
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
  if (secret.length < 32) throw new RangeError('secret: expected at least 32 characters')

  function of(reviewCaseId: string, { tool, arguments: input }: Action): string {
    const text = canonicalize([sessionId, reviewCaseId, tool, input])
    const mac = createHmac('sha256', secret).update(text).digest('base64url')
    return `${reviewCaseId}.${mac}`
  }

  return {
    of,
    async find(taskId) {
      const [reviewCaseId = ''] = taskId.split('.')
      const review = await findCase(client, sessionId, reviewCaseId)
      const action = review && actionOf(review)
      if (!review || !action || !isSame(taskId, of(reviewCaseId, action))) return null
      return { taskId, review, action }
    },
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
