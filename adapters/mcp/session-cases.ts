import { type CaseAnswer, type Client, nullFor } from '@countersign/client'
import * as z from 'zod'
import { questionOf } from './case-answers.ts'

/** A case of this session; null for any other, as if there were none. */
export async function findCase(
  client: Client,
  sessionId: string,
  reviewCaseId: string,
): Promise<CaseAnswer | null> {
  const review = await client.reviewCases.read({ reviewCaseId }).catch(nullFor('not_found'))
  return review?.sessionId === sessionId ? review : null
}

/** Hears what the service met. */
export type OnProblem = ((text: string) => void) | undefined

/** Tells of a problem; who only hears of it ends nothing by what they throw. */
export function tell(onProblem: OnProblem, text: string): void {
  try {
    onProblem?.(text)
  } catch {
    // Nobody else is left to be told.
  }
}

/** What `act` answers. What the service met is no agent's to know: `onProblem` hears it. */
export async function toldOrAway<T>(act: () => Promise<T>, onProblem: OnProblem): Promise<T> {
  try {
    return await act()
  } catch (error) {
    tell(onProblem, String(error))
    throw new Error('The service could not be asked; ask again later.')
  }
}

const answered = z.object({
  answer: z.object({ action: z.literal('accept'), content: z.object({ answer: z.string() }) }),
})

/** Answers the question that a case waits for, if one does, by the responses of `tasks/update`. */
export async function answerQuestion(
  client: Client,
  review: CaseAnswer,
  responses: unknown,
): Promise<void> {
  const { data } = answered.safeParse(responses)
  if (!data || questionOf(review) === null) return
  await client.reviewCases.answerFollowUp({ case: review, answer: data.answer.content.answer })
}

/**
 * Withdraws a request, or spends its approval, so that nothing comes of it; one that was spent stays so. `spend`: takes
 * one that was claimed for who left, and is kept.
 */
export async function withdraw(
  client: Client,
  { reviewCaseId, state }: CaseAnswer,
  spend: (review: CaseAnswer) => Promise<unknown>,
): Promise<CaseAnswer> {
  const asked = { reviewCaseId, reasonCategory: 'end_user_cancelled' } as const
  const cancelled = state === 'open' ? await client.reviewCases.cancel(asked).catch(closed) : null
  if (cancelled) return cancelled
  // It may have been approved just now.
  const review = await client.reviewCases.read({ reviewCaseId })
  if (review.decision !== 'approved') return review
  const end = { reviewCaseId, outcome: 'terminated' } as const
  const ended = await client.reviewCases.reportContinuation(end).catch(begun)
  if (ended) return ended
  await spend(review)
  return review
}

/** Null for a case that was closed meanwhile. */
const closed = nullFor('invalid_transition', 'case_expired')
/** Null for an approval that was spent before, or can't be any more. */
const begun = nullFor('continuation_conflict', 'invalid_transition', 'case_expired')
