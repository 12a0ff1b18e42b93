import type { OutcomeTurn } from '../outcome-handler.ts'

type Outcome = OutcomeTurn['outcome']

/** One line without half a surrogate pair, as the service takes ids. */
const id = [/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'one line of at most 200 characters'] as const
const forms = {
  tenantId: id,
  applicationId: id,
  sessionId: id,
  checkpointId: id,
  reviewCaseId: id,
  resumeToken: [/^[^\0\p{Cs}]{1,4096}$/u, 'at most 4096 characters without NUL'],
} as const satisfies Partial<Record<keyof Outcome, readonly [form: RegExp, means: string]>>

/**
 * Why an outcome has text that no client sends, by which an application is to seek nothing: its database may refuse it, and
 * the outcome would be tried for ever. Null where it has none.
 */
export function faultOfTexts(outcome: Outcome): string | null {
  for (const [name, [form, means]] of Object.entries(forms)) {
    const text = outcome[name as keyof typeof forms]
    if (text !== null && !form.test(text)) return `form: expected ${name} as ${means}`
  }
  return null
}
