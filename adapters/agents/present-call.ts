import type { CaseAnswer } from '@countersign/client'
import { type Edit, isSameJson, jsonOf, type ToolCall } from './tool-call.ts'

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

/**
 * What a reviewer is shown of a call: the action, then the application's words; an argument stands for itself alone.
 */
export function presentationOf(
  { name, input }: ToolCall,
  description: Description = {},
  edit?: Pick<Edit, 'before' | 'supersedes'>,
) {
  const { title, summary, respond } = description
  const action: Action = { tool: name, arguments: jsonOf(input) }
  const { before, after } = edit ? { before: edit.before, after: input } : description
  const supersedes = edit?.supersedes
  // Copied, for members without a value are none.
  const words = JSON.stringify({ before, after, respond, supersedes, title, summary })
  return { action, ...(JSON.parse(words) as Readonly<Record<string, unknown>>) }
}

/** What an application showed: of a case that a policy opened, what it adopted. */
export function shownIn({ presentation, adopted }: CaseAnswer): Readonly<Record<string, unknown>> {
  const shown = adopted ? presentation?.application : presentation
  return typeof shown === 'object' && shown !== null ? { ...shown } : {}
}

/** The action that a case shows; null where it shows none. */
export function actionOf(review: CaseAnswer): Action | null {
  const { action } = shownIn(review)
  if (typeof action !== 'object' || action === null) return null
  const { tool, arguments: input } = action as Readonly<Record<string, unknown>>
  return typeof tool === 'string' ? { tool, arguments: input } : null
}

/**
 * Whether a case shows exactly this, beside the questions that were answered since: people decided by all of it, so the
 * approval of the same action in other words approves nothing.
 */
export function isShownAs(presentation: unknown, review: CaseAnswer): boolean {
  const { followUps: _, ...shown } = shownIn(review)
  return isSameJson(shown, presentation)
}

/** Whether this call is the action that the case shows: the approval of another call approves nothing of this one. */
export function isShown({ name, input }: ToolCall, review: CaseAnswer): boolean {
  const { action } = shownIn(review)
  return isSameJson(action ?? null, { tool: name, arguments: jsonOf(input) })
}
