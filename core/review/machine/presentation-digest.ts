import { digestOf } from '../../base/canonical/digest.ts'
import type { FollowUpRecord, Presentation } from '../shapes.ts'

/**
 * Reserved member of a presentation: the answered follow-ups, oldest first, as `{question, answer}`. Absent until there
 * is one; refused in an opening.
 */
export const answersMember = 'followUps'

/** The document with what the application has answered since; a question alone does not change what is shown. */
export function withAnswers(
  presentation: Presentation | null,
  followUps: readonly FollowUpRecord[],
): Presentation {
  const answered = followUps
    .filter(({ answer }) => answer !== null)
    .map(({ question, answer }) => ({ question, answer }))
  return { ...presentation, [answersMember]: answered }
}

/** Binds a decision to what was shown: lower-case hex SHA-256 of the document's RFC 8785 form. */
export function presentationDigest(presentation: Presentation | null): string {
  return digestOf(presentation)
}
