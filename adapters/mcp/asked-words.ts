import type { Description } from '@countersign/agents'
import type { CaseAnswer } from '@countersign/client'
import * as z from 'zod'

/** Of the cases of what agents ask for themselves. */
export const namespace = 'asked'
/** Shown of what is asked for so, and of nothing that holds a tool back: neither approves the other. */
export const title = 'Asked for by the agent itself'
const words = z.object({ title: z.literal(title), summary: z.string().optional() })

const readWords = ({ presentation, adopted }: CaseAnswer) =>
  words.safeParse(adopted ? presentation?.application : presentation)

/** Whether an agent asked for a case itself. */
export function isAskedHere(review: CaseAnswer): boolean {
  return readWords(review).success
}

/** The words that a case shows beside its action. */
export function wordsOf(review: CaseAnswer): Description {
  const { summary } = readWords(review).data ?? {}
  return { title, ...(summary !== undefined && { summary }) }
}
