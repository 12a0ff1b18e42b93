import type { OutcomeTurn } from '../outcome-handler.ts'

type Outcome = OutcomeTurn['outcome']

/** One line without half a surrogate pair, as the service takes ids. */
const id = [/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'one line of at most 200 characters'] as const
const text = [/^[^\0\p{Cs}]{1,4096}$/u, 'at most 4096 characters without NUL'] as const

/** All text of an outcome but its own id, which came in a header and is stored by now. */
const forms = {
  tenantId: id,
  applicationId: id,
  sessionId: id,
  checkpointId: id,
  reviewCaseId: id,
  resumeToken: text,
  presentationDigest: text,
  caseUrl: text,
  time: text,
} as const satisfies Partial<Record<keyof Outcome, readonly [form: RegExp, means: string]>>

/**
 * Why an outcome has text that the service of no honest client sends, which an application must not be given: its
 * database may refuse it, and the outcome would be tried for ever. Null where it has none.
 */
export function faultOfTexts(outcome: Outcome): string | null {
  for (const [name, [form, means]] of Object.entries(forms)) {
    const value = outcome[name as keyof typeof forms]
    if (value !== null && !form.test(value)) return `expected ${name} as ${means}`
  }
  return null
}
