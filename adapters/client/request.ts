import { ApiError } from './errors.ts'
import type { IngestApi } from './ingest-api.ts'
import { persist } from './persist.ts'
import { sameJson } from './same-json.ts'
import type { Surroundings } from './surroundings.ts'
import type { CaseAnswer } from './types.ts'

type OpenInput = Parameters<IngestApi['reviewCases']['open']>[0]
type CancelInput = Parameters<IngestApi['reviewCases']['cancel']>[0]

/** What an application asks a human. The same again, also after a restart, is the same request. */
export type ReviewRequest = OpenInput

/** How a case ended. */
export interface ReviewOutcome {
  /** Whether the action may proceed: `approved` alone. */
  readonly approved: boolean
  readonly decision: 'approved' | 'rejected' | 'response_submitted' | 'cancelled' | 'expired'
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly sessionId: string
  readonly checkpointId: string
  /** SHA-256 of what the reviewer saw; null where nobody had the case. */
  readonly presentationDigest: string | null
  /** What the reviewer answered with `response_submitted`, else null. */
  readonly response: unknown
}

/** Body of a verified outcome callback, as the receiver kit hands it on. */
export type CalledBack = Omit<ReviewOutcome, 'approved'>

/** How to wait. */
export interface WaitOptions {
  /** Ends the wait; it rejects with the signal's reason. The case stays open unless `cancelOnAbort`. */
  readonly signal?: AbortSignal
  /** Cancels the case for this reason when the signal aborts. */
  readonly cancelOnAbort?: CancelInput['reasonCategory']
  /** Ms between reads of the case, rising from the first to the last; default 1,000 to 15,000. */
  readonly pollMs?: readonly [first: number, last: number]
  /** Told once the case is open, or was found. */
  readonly onOpen?: (review: CaseAnswer) => void
  /** Answers a reviewer's question; without it the case waits for an answer by `answerFollowUp`. */
  readonly onFollowUp?: (question: string, review: CaseAnswer) => string | Promise<string>
}

/** The operations that waiting needs. */
export interface CaseCalls {
  open(input: OpenInput, signal: AbortSignal): Promise<CaseAnswer>
  read(seen: CaseAnswer, signal: AbortSignal): Promise<CaseAnswer>
  answerFollowUp(seen: CaseAnswer, answer: string, signal: AbortSignal): Promise<CaseAnswer>
  cancel(input: CancelInput): Promise<CaseAnswer>
}

/** `reviewCases.request` and `reviewCases.settle` over the operations of a client. */
export function requestsOf(calls: CaseCalls, surroundings: Surroundings) {
  /** Wakes who waits for a case, with its outcome. */
  const waiting = new Map<string, Set<(outcome: ReviewOutcome) => void>>()

  async function request(asked: ReviewRequest, options: WaitOptions = {}): Promise<ReviewOutcome> {
    const signal = options.signal ?? new AbortController().signal
    const idempotencyKey = asked.idempotencyKey ?? (await keyOf(asked))
    let review: CaseAnswer | null = null
    try {
      review = await persist(surroundings, signal, () =>
        calls.open({ ...asked, idempotencyKey }, signal),
      )
      checkShown(review, asked)
      options.onOpen?.(review)
      return await outcomeOf(review, options, signal)
    } catch (error) {
      if (review && signal.aborted && options.cancelOnAbort)
        await withdraw(review.reviewCaseId, options.cancelOnAbort)
      throw error
    }
  }

  /** Reads the case until it is closed, or until the callback came. */
  async function outcomeOf(
    opened: CaseAnswer,
    options: WaitOptions,
    signal: AbortSignal,
  ): Promise<ReviewOutcome> {
    const [first, last] = options.pollMs ?? [1_000, 15_000]
    const called = listen(opened.reviewCaseId)
    try {
      let review = opened
      for (let waitMs = first; review.state === 'open'; waitMs = Math.min(waitMs * 1.5, last)) {
        const question = pendingQuestion(review)
        if (question && options.onFollowUp) {
          review = await answered(review, question.question, options.onFollowUp, signal)
          continue
        }
        const outcome = await called.within(waitMs, signal)
        if (outcome) return outcome
        review = await persist(surroundings, signal, () => calls.read(review, signal))
      }
      return presented(review)
    } finally {
      called.close()
    }
  }

  async function answered(
    review: CaseAnswer,
    question: string,
    answer: NonNullable<WaitOptions['onFollowUp']>,
    signal: AbortSignal,
  ): Promise<CaseAnswer> {
    const text = await answer(question, review)
    try {
      return await calls.answerFollowUp(review, text, signal)
    } catch (error) {
      // It moved on meanwhile: what became of the question is told by the case as it is.
      if (error instanceof ApiError && error.case) return error.case
      if (error instanceof ApiError && error.code === 'no_answer') return calls.read(review, signal)
      throw error
    }
  }

  function listen(reviewCaseId: string) {
    let came: ReviewOutcome | null = null
    let wake = () => {}
    const told = (outcome: ReviewOutcome) => {
      came = outcome
      wake()
    }
    const all = waiting.get(reviewCaseId) ?? new Set()
    waiting.set(reviewCaseId, all.add(told))
    return {
      /** The outcome, or null after `ms`. */
      within: async (ms: number, signal: AbortSignal): Promise<ReviewOutcome | null> => {
        const woken = new AbortController()
        const stop = () => woken.abort()
        wake = stop
        signal.addEventListener('abort', stop, { once: true })
        if (came || signal.aborted) stop()
        await surroundings.wait(ms, woken.signal).catch(() => {})
        signal.removeEventListener('abort', stop)
        signal.throwIfAborted()
        return came
      },
      close: () => {
        all.delete(told)
        if (all.size === 0) waiting.delete(reviewCaseId)
      },
    }
  }

  /** Who aborts has gone on: what the service refuses then, as of a case that was decided meanwhile, changes nothing. */
  async function withdraw(
    reviewCaseId: string,
    reasonCategory: CancelInput['reasonCategory'],
  ): Promise<void> {
    await calls.cancel({ reviewCaseId, reasonCategory }).catch(() => {})
  }

  return {
    request,
    settle: (outcome: CalledBack): boolean => {
      const all = waiting.get(outcome.reviewCaseId)
      for (const told of all ?? []) told(fromCallback(outcome))
      return all !== undefined
    },
  }
}

/**
 * Throws unless the case shows what was asked: the one that is open at a checkpoint is told to whoever opens another
 * there, and an approval of it approves nothing else.
 */
function checkShown({ presentation }: CaseAnswer, asked: ReviewRequest): void {
  const sent: unknown = JSON.parse(JSON.stringify(asked.presentation))
  if (sameJson(presentation, sent)) return
  throw new ApiError(
    'idempotency_conflict',
    `the case at checkpoint ${asked.checkpointId} shows something else: another action has another checkpoint`,
  )
}

/** The question that waits for its answer: an earlier one without an answer was dropped when the case was reassigned. */
function pendingQuestion({ decision, followUps }: CaseAnswer) {
  const last = decision === 'follow_up_required' ? followUps.at(-1) : undefined
  return last?.answer === null ? last : undefined
}

function fromCallback(outcome: CalledBack): ReviewOutcome {
  const { reviewCaseId, caseVersion, sessionId, checkpointId, decision } = outcome
  const { presentationDigest, response } = outcome
  return {
    approved: decision === 'approved',
    decision,
    reviewCaseId,
    caseVersion,
    sessionId,
    checkpointId,
    presentationDigest,
    response,
  }
}

/** The outcome of a case that is closed. */
function presented(review: CaseAnswer): ReviewOutcome {
  const { state, decision, checkpoint } = review
  const ended = state === 'decided' ? decision : state
  return fromCallback({
    ...review,
    checkpointId: checkpoint.checkpointId,
    decision: ended as ReviewOutcome['decision'],
  })
}

/** One key for one checkpoint: another request there is refused instead of mistaken for the first. */
async function keyOf({ sessionId, checkpointId }: ReviewRequest): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([sessionId, checkpointId]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `request-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
