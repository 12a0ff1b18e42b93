import { createCallbacks, type Listener } from './callbacks.ts'
import type { CancelInput, CaseCalls, OpenInput } from './case-calls.ts'
import { ApiError, nullFor } from './errors.ts'
import { createFollowUps } from './follow-ups.ts'
import { outcomeOfCase, type ReviewOutcome, withReviewer } from './outcome.ts'
import { persist, type Waiting } from './persist.ts'
import { copyMembers } from './read-options.ts'
import { sameJson } from './same-json.ts'
import { endedBy, linkSignals, untilAborted } from './signals.ts'
import { requireSigned } from './signatures.ts'
import type { Surroundings } from './surroundings.ts'
import type { CaseAnswer } from './types.ts'
import { copyWaitOptions, type WaitOptions } from './wait-options.ts'

/** What an application asks a human. The same again, also after a restart, is the same request. */
export type ReviewRequest = OpenInput

/** Ms that an outcome which a callback told waits for the reviewer's words. */
const wordsMs = 5_000

/** `reviewCases.request` and `reviewCases.settle` over the operations of a client. */
export function requestsOf(calls: CaseCalls, surroundings: Surroundings, deadlineMs: number) {
  const { listen, settle } = createCallbacks()

  async function request(given: ReviewRequest, how: WaitOptions = {}): Promise<ReviewOutcome> {
    // Before any await: the caller may fill both objects anew while this waits.
    const asked = asSent(given)
    const options = copyWaitOptions(how)
    // One of its own: a signal that many requests share would warn of too many listeners.
    const signal = AbortSignal.any(options.signal ? [options.signal] : [])
    const idempotencyKey = asked.idempotencyKey ?? (await keyOf(asked))
    const opening = { ...asked, idempotencyKey }
    signal.throwIfAborted()
    const callback = listen()
    const waiting: Waiting = { surroundings, onWaiting: options.onWaiting, lastError: null }
    let found: CaseAnswer | null = null
    try {
      const opened = await open(opening, waiting, signal)
      found = opened
      callback.of(opened.reviewCaseId)
      options.onOpen?.(opened)
      const outcome = await outcomeOf(opened, { ...options, waiting }, signal, callback)
      if (!options.reviewers) return outcome
      const review = await persist(waiting, signal, () => calls.read(opened, signal))
      checkSame(review, opened)
      // Whoever tells it by a callback and withholds the case keeps it back all the same.
      const { reviewers } = options
      const verify = () => requireSigned(reviewers, asked, outcome, review, surroundings.time())
      return await untilAborted(signal, verify)
    } catch (error) {
      if (signal.aborted && error === signal.reason) explain(error, waiting.lastError)
      const reason = signal.aborted && options.cancelOnAbort
      if (reason) await withdraw(opening, found, reason)
      throw error
    } finally {
      callback.close()
    }
  }

  async function open(
    opening: OpenInput,
    waiting: Waiting,
    signal: AbortSignal,
  ): Promise<CaseAnswer> {
    const opened = await persist(waiting, signal, () => calls.open(opening, signal))
    checkCase(opened)
    checkShown(opened, opening)
    return opened
  }

  /** Reads the case until it is closed, or until the callback came. */
  async function outcomeOf(
    opened: CaseAnswer,
    {
      pollMs: [first, last] = [1_000, 15_000],
      onFollowUp: answer,
      waiting,
    }: WaitOptions & { readonly waiting: Waiting },
    signal: AbortSignal,
    callback: Listener,
  ): Promise<ReviewOutcome> {
    const { signal: ended, abort: leave } = linkSignals(signal, callback.signal)
    const followUps = answer && createFollowUps({ calls, waiting, answer, ended })
    try {
      let review = opened
      for (let waitMs = first; review.state === 'open'; waitMs = Math.min(waitMs * 1.5, last)) {
        const answered = followUps?.(review)
        const read = readAfter(waitMs, review, waiting, ended)
        review = await Promise.race(answered ? [answered, read.done] : [read.done]).finally(() =>
          read.stop(),
        )
        checkSame(review, opened)
      }
      return outcomeOfCase(review)
    } catch (error) {
      // Whichever came first: who left before is not told of an approval.
      if (callback.signal.aborted && ended.reason === callback.signal.reason)
        return await toldWhole(ended.reason, opened)
      throw error
    } finally {
      leave()
    }
  }

  /**
   * The outcome of a callback with the reviewer's words, which only the case has; without them where it is not read.
   */
  async function toldWhole(outcome: ReviewOutcome, opened: CaseAnswer): Promise<ReviewOutcome> {
    const { signal, release } = endedBy(surroundings, wordsMs)
    try {
      const review = await calls.read(opened, signal)
      checkSame(review, opened)
      return withReviewer(outcome, review)
    } catch {
      return outcome
    } finally {
      release()
    }
  }

  function readAfter(ms: number, review: CaseAnswer, waiting: Waiting, ended: AbortSignal) {
    const { signal, abort } = linkSignals(ended)
    const done = surroundings
      .wait(ms, signal)
      .then(() => persist(waiting, signal, () => calls.read(review, signal)))
    return { done, stop: abort }
  }

  /** Cancels the case of a request that was left; an opening without an answer is repeated to learn its id. */
  async function withdraw(
    opening: OpenInput,
    opened: CaseAnswer | null,
    reasonCategory: CancelInput['reasonCategory'],
  ): Promise<void> {
    // A call that hangs is ended by its own deadline, and repeated.
    const { signal, release } = endedBy(surroundings, 2 * deadlineMs)
    const waiting: Waiting = { surroundings, lastError: null }
    try {
      const review =
        opened ??
        (await open(opening, waiting, signal).catch(
          nullFor('idempotency_conflict', 'invalid_request'),
        ))
      if (!review) return
      const { reviewCaseId } = review
      // Closed since, or by an earlier try.
      const closed = nullFor('invalid_transition', 'case_expired', 'not_found')
      await persist(waiting, signal, () =>
        calls.cancel({ reviewCaseId, reasonCategory }, signal),
      ).catch(closed)
    } catch (error) {
      const which = opened?.reviewCaseId ?? `at checkpoint ${opening.checkpointId}`
      throw new ApiError('not_cancelled', `the case ${which} may still be open`, { cause: error })
    } finally {
      release()
    }
  }

  return { request, settle }
}

/** A copy of what is asked, as it is sent; throws as an opening does for what has no JSON. */
function asSent(given: ReviewRequest): ReviewRequest {
  return JSON.parse(JSON.stringify(copyMembers(given)))
}

/** Gives the reason of an abort what the service was away for as its cause. */
function explain(reason: unknown, cause: ApiError | null): void {
  if (cause === null || !(reason instanceof Error) || reason.cause !== undefined) return
  // An error that was frozen stays as it is.
  Reflect.defineProperty(reason, 'cause', { value: cause, configurable: true, writable: true })
}

/** Throws unless an answer is a case; its type is what the service promises, and something else may stand before it. */
function checkCase({ reviewCaseId, state, followUps }: Partial<CaseAnswer>): void {
  if (typeof reviewCaseId === 'string' && typeof state === 'string' && Array.isArray(followUps))
    return
  throw new ApiError('unexpected_answer', 'expected a case, got other JSON', { status: 200 })
}

/** Throws unless an answer is the case that was opened: what became of another says nothing of this one. */
function checkSame(review: CaseAnswer, opened: CaseAnswer): void {
  checkCase(review)
  const { reviewCaseId } = review
  if (reviewCaseId === opened.reviewCaseId) return
  throw new ApiError(
    'unexpected_answer',
    `expected case ${opened.reviewCaseId}, got ${reviewCaseId}`,
    { status: 200 },
  )
}

/**
 * Throws unless the case shows what was asked: the one that is open at a checkpoint is told to whoever opens another
 * there, and an approval of it approves nothing else.
 */
function checkShown({ presentation, adopted }: CaseAnswer, asked: ReviewRequest): void {
  // Beside what it was given, the service shows the questions that were answered since.
  const { followUps: _, ...shown } = presentation ?? {}
  // A case that a policy opened shows what was asked as a member of its own.
  if (presentation && sameJson(adopted ? shown.application : shown, asked.presentation)) return
  throw new ApiError(
    'idempotency_conflict',
    `the case at checkpoint ${asked.checkpointId} shows something else: another action has another checkpoint`,
  )
}

/** One key for one checkpoint: another request there is refused instead of mistaken for the first. */
async function keyOf({ sessionId, checkpointId }: ReviewRequest): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([sessionId, checkpointId]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `request-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
