import { type CallVerdict, callVerdictOf } from '@countersign/agents'
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

/** What became of an approval beside its case: told before, or nobody's after its deadline. */
export interface ApprovalTold {
  /** Of the request; default that of its case. */
  readonly id?: string
  readonly isSpent?: boolean
  readonly isLate?: boolean
}

/** The answer of a case to an agent. */
export function answerOf(
  review: CaseAnswer,
  { id = review.reviewCaseId, isSpent: spent = false, isLate = false }: ApprovalTold = {},
): ToolAnswer {
  const { state, decision, presentationDigest } = review
  const verdict = state === 'open' ? null : callVerdictOf(review, 'tell')
  const isLeft = verdict?.approved && isWithdrawn(review)
  const ended = isLeft ? withdrawn : isLate ? late : null
  const text = ended ?? (verdict ? textOf(verdict, spent) : waitingText(review, id))
  const approved = ended === null && (verdict?.approved ?? false)
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
