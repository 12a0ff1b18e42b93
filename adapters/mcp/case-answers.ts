import type { CallVerdict } from '@countersign/agents'
import type { CaseAnswer } from '@countersign/client'
import type { ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** A tool's result, as every version of MCP has it. */
export interface ToolAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
  readonly [member: string]: unknown
}

/** What became of an approval: told before, or nobody's after its deadline. */
export interface ApprovalTold {
  readonly isSpent?: boolean
  readonly isLate?: boolean
}

/** The answer to an agent about a request that waits. */
export function waitingAnswer(id: string, review: CaseAnswer): ToolAnswer {
  const { presentationDigest } = review
  // Of an open case, whatever else it tells.
  const decision = questionOf(review) === null ? null : 'follow_up_required'
  const open = { state: 'open', decision, approved: false, spent: false }
  return {
    content: [{ type: 'text', text: waitingText(review, id) }],
    structuredContent: { reviewCaseId: id, ...open, presentationDigest },
  }
}

/** The answer to an agent by the verdict on its request: of a case, what was checked of it alone. */
export function answerOf(
  id: string,
  verdict: CallVerdict,
  { isSpent: spent = false, isLate = false }: ApprovalTold = {},
): ToolAnswer {
  const { outcome, review } = verdict
  if (!outcome || !review) return refusalOf(verdict.reason)
  const { decision, presentationDigest } = outcome
  const isLeft = verdict.approved && isWithdrawn(review)
  const ended = isLeft ? withdrawn : isLate ? late : null
  const text = ended ?? textOf(verdict, spent)
  const approved = ended === null && verdict.approved
  const state = decision === 'cancelled' || decision === 'expired' ? decision : 'decided'
  return {
    content: [{ type: 'text', text }],
    structuredContent: { reviewCaseId: id, state, decision, approved, spent, presentationDigest },
  }
}

const withdrawn = 'The request was withdrawn after it was approved; the action is not to be done.'
const late =
  'The request was approved, but nobody heard of it before its deadline, after which it approves nothing. Ask anew, with another key where it had one.'

function textOf({ approved, reason }: CallVerdict, spent: boolean): string {
  if (!approved) return reason
  if (spent) return `${reason} This approval was given before and is for one action alone.`
  return `${reason} It is for this one action.`
}

function waitingText(review: CaseAnswer, id: string): string {
  const question = questionOf(review)
  const again = `call check_approval with reviewCaseId ${id}`
  if (question !== null) return `The reviewer asks: ${question} To answer, ${again} and answer.`
  return `Still waiting for a person to decide. To learn what they decided, ${again}.`
}

/** The question that waits for its answer; null where none does. */
export function questionOf({ state, followUps }: CaseAnswer): string | null {
  const last = followUps.at(-1)
  return state === 'open' && last && last.answer === null ? last.question : null
}

/** An answer without a case. */
export function refusalOf(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }], isError: true }
}

/** The extension in which the case is the task. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Member of a request's metadata in which its client declares what it can. */
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

/** What a task tells beside its case. */
export interface TaskTold {
  readonly taskId: string
  /** Null while the tool runs. */
  readonly result: ToolAnswer | null
}

/** A case as a task of MCP. It is kept nowhere else: any process of the server can tell it. */
export function taskOf(
  review: CaseAnswer,
  { taskId, result }: TaskTold,
): Readonly<Record<string, unknown>> {
  const { createdAt, updatedAt, expiresAt } = review
  const base = {
    taskId,
    createdAt,
    lastUpdatedAt: updatedAt,
    ttlMs: Math.max(0, Date.parse(expiresAt) - Date.parse(createdAt)),
    pollIntervalMs: 5_000,
  }
  const question = questionOf(review)
  if (question !== null) {
    const requestedSchema = {
      type: 'object',
      properties: { answer: { type: 'string', title: 'Answer' } },
      required: ['answer'],
    }
    const params = { mode: 'form', message: question, requestedSchema }
    const inputRequests = { answer: { method: 'elicitation/create', params } }
    return { ...base, status: 'input_required', inputRequests }
  }
  if (isWithdrawn(review)) return { ...base, status: 'cancelled' }
  if (review.state === 'open' || result === null) return { ...base, status: 'working' }
  return { ...base, status: 'completed', result: { ...result, resultType: 'complete' } }
}

/** The answer to a call that is a task now. It has neither result nor question: clients take both from polls alone. */
export function newTaskOf(review: CaseAnswer, taskId: string): ToolAnswer {
  const { inputRequests: _, ...task } = taskOf(review, { taskId, result: null })
  return { resultType: 'task', ...task, content: [] }
}

/** Whether a request was withdrawn, or its approval by whom it was given to. */
export function isWithdrawn({ state, decision, continuation }: CaseAnswer): boolean {
  return (
    state === 'cancelled' || (decision === 'approved' && continuation?.outcome === 'terminated')
  )
}

/** Whether a decision is past the deadline of its case. */
export function isPastDeadline({ expiresAt }: CaseAnswer): boolean {
  return Date.parse(expiresAt) <= Date.now()
}

/** Whether the request may be answered with a task. */
export function declaresTasks({ mcpReq }: ServerContext): boolean {
  return tasksDeclared({ ...mcpReq.envelope })
}

/** Whether a request's metadata declare the tasks extension. */
export function tasksDeclared(meta: Readonly<Record<string, unknown>>): boolean {
  const declared = z
    .object({ extensions: z.record(z.string(), z.unknown()) })
    .safeParse(meta[capabilitiesKey])
  return declared.success && Object.hasOwn(declared.data.extensions, tasksExtension)
}
