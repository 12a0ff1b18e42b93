import type { CaseCalls } from './case-calls.ts'
import { ApiError } from './errors.ts'
import { persist, type Waiting } from './persist.ts'
import { type LinkedSignal, linkSignals } from './signals.ts'
import type { CaseAnswer } from './types.ts'

/** Answers a reviewer's question; the signal aborts once the answer is not wanted any more. */
export type AnswerQuestion = (
  question: string,
  review: CaseAnswer,
  signal: AbortSignal,
) => string | Promise<string>

/** What the answers to the questions of one case need. */
interface Asked {
  readonly calls: CaseCalls
  readonly waiting: Waiting
  readonly answer: AnswerQuestion
  /** Ends all of it. */
  readonly ended: AbortSignal
}

/**
 * Has the questions of one case answered, each once. The returned function is given the case as it was read last, and
 * gives the case as it is once its pending question was answered; null where none is pending. An answer that is on its
 * way is given up when its question is pending no more.
 */
export function createFollowUps({ calls, waiting, answer, ended }: Asked) {
  let latest: CaseAnswer
  let current: { readonly nth: number; readonly link: LinkedSignal } | null = null
  let answered: Promise<CaseAnswer> | null = null

  async function respond(nth: number, question: string, signal: AbortSignal): Promise<CaseAnswer> {
    const text = await answer(question, latest, signal)
    for (let seen = latest; ; ) {
      try {
        return await persist(waiting, signal, () => calls.answerFollowUp(seen, text, signal))
      } catch (error) {
        if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 412))
          throw error
        // It has moved on, perhaps by an earlier try of this answer.
        const now = error.case ?? (await persist(waiting, signal, () => calls.read(seen, signal)))
        if (pending(now)?.nth !== nth) return now
        if (now.eventSequence === seen.eventSequence) throw error
        seen = now
      }
    }
  }

  return (review: CaseAnswer): Promise<CaseAnswer> | null => {
    latest = review
    const asked = pending(review)
    if (current?.nth === asked?.nth) return answered
    current?.link.abort()
    current = null
    answered = null
    if (!asked) return null
    const { nth, question } = asked
    const link = linkSignals(ended)
    current = { nth, link }
    answered = respond(nth, question, link.signal).then((now) => {
      // Told once; what the case is then is read.
      answered = null
      return now
    })
    return answered
  }
}

/**
 * The question that waits for its answer: an earlier one without an answer was dropped when the case was reassigned.
 */
function pending({ decision, followUps }: CaseAnswer) {
  const last = decision === 'follow_up_required' ? followUps.at(-1) : undefined
  return last?.answer === null ? { nth: followUps.length, question: last.question } : null
}
