import { digestOf } from '../../canonical/digest.ts'
import type { FollowUpRecord } from '../records.ts'
import type { Presentation } from '../view.ts'

/**
 * The one member of a presentation that is ours: the answered follow-ups, oldest first, as
 * `{question, answer}`. It is absent until there is one, and an opener may not give it.
 */
export const answersMember = 'followUps'

/** The document with what the application has answered since; a question alone does not change what is shown. */
export function withAnswers(
  presentation: Presentation,
  followUps: readonly FollowUpRecord[],
): Presentation {
  const answered = followUps
    .filter(({ answer }) => answer !== null)
    .map(({ question, answer }) => ({ question, answer }))
  return { ...presentation, [answersMember]: answered }
}

/** What binds a decision to what was seen: lower-case hex SHA-256 of the document's RFC 8785 form. */
export function presentationDigest(presentation: Presentation): string {
  return digestOf(presentation)
}
