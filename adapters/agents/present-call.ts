import type { CaseAnswer } from '@countersign/client'
import { isSameJson, jsonOf, type ToolCall } from './tool-call.ts'

/** What would run: first in a presentation, and drawn first. */
export interface Action {
  readonly tool: string
  readonly arguments: unknown
}

/** What an application shows beside the action. Of stable values: a repeated call has to show the same. */
export interface Description {
  readonly title?: string
  readonly summary?: string
  /** With `after`, drawn as a difference. */
  readonly before?: unknown
  readonly after?: unknown
  /** What a reviewer may propose in the place of an approval: a flat object's JSON Schema. */
  readonly respond?: { readonly schema: unknown; readonly initial?: unknown }
}

/** What a reviewer is shown of a call: the action, then the application's words; an argument stands for itself alone. */
export function presentationOf({ name, input }: ToolCall, description: Description = {}) {
  const { title, summary, before, after, respond } = description
  const action: Action = { tool: name, arguments: jsonOf(input) }
  // Copied, for members without a value are none.
  const beside = jsonOf({ before, after, respond, title, summary }) as Readonly<
    Record<string, unknown>
  >
  return { action, ...beside }
}

/** Whether this call is what the case shows: the approval of another call approves nothing of this one. */
export function isShown({ name, input }: ToolCall, review: CaseAnswer): boolean {
  const { presentation, adopted } = review
  // A policy's case shows what the application asked as a member of its own.
  const asked = adopted ? presentation?.application : presentation
  if (typeof asked !== 'object' || asked === null || !('action' in asked)) return false
  return isSameJson(asked.action, { tool: name, arguments: jsonOf(input) })
}
