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
