import { type CaseAnswer, type Client, nullFor, type ReviewRequest } from '@countersign/client'
import { isShown, isShownAs } from './present-call.ts'
import { isSpent } from './spend.ts'
import type { ToolCall } from './tool-call.ts'

/** An opening that is the same one each time that it is made. */
export type KeyedRequest = ReviewRequest & { readonly idempotencyKey: string }

/** Where a call is asked for. */
export interface FoundCall {
  /** Of calls that show the same, which this one is; null for one that has an id. */
  readonly nth: number | null
  /** Its case, where there is one. */
  readonly review: CaseAnswer | null
}

/** What a case is found by. */
export type Place = Pick<ReviewRequest, 'sessionId' | 'checkpointId'>

/** Of calls that show the same, more than any session makes. */
const mostRepeats = 2 ** 20

/** Finds the case of a place. It opens nothing. */
export async function findCase(
  client: Client,
  { sessionId, checkpointId }: Place,
  signal: AbortSignal | undefined,
): Promise<CaseAnswer | null> {
  const given = signal ? { signal } : {}
  return client.reviewCases.find({ sessionId, checkpointId }, given).catch(nullFor('not_found'))
}

/** What tells which of equal calls are over. */
export interface RepeatOptions {
  readonly nowMs: number
  /** Whether a decision was signed too long ago to count: once it is, for ever. */
  readonly isTooOld: (review: CaseAnswer, nth: number) => Promise<boolean>
}

/**
 * Of calls that are known by what they show, finds the first whose case is not over. Each is asked for once all before
 * it are over, and stays over, so that a search by halves finds it.
 */
export async function findRepeat(
  find: (nth: number) => Promise<CaseAnswer | null>,
  { nowMs, isTooOld }: RepeatOptions,
): Promise<FoundCall> {
  const at = async (nth: number) => ({ nth, review: await find(nth) })
  const isFree = async ({ review, nth }: Awaited<ReturnType<typeof at>>) =>
    !review || !(isOver(review, nowMs) || (await isTooOld(review, nth)))
  let [over, free] = [0, 1]
  let first = await at(free)
  while (!(await isFree(first))) {
    over = free
    free *= 2
    if (free > mostRepeats) throw new Error(`expected fewer than ${mostRepeats} calls of a content`)
    first = await at(free)
  }
  while (free - over > 1) {
    const middle = Math.floor((free + over) / 2)
    const found = await at(middle)
    if (!(await isFree(found))) over = middle
    else {
      free = middle
      first = found
    }
  }
  return first
}

/**
 * Whether a case has the answer to a call already: it is closed, and shows this very call in these words, or an
 * approval of it in others was spent, after which nobody is asked to run it once more.
 */
export function isAnswered(
  call: ToolCall,
  presentation: unknown,
  review: CaseAnswer | null,
): review is CaseAnswer {
  if (!review || review.state === 'open') return false
  return isShownAs(presentation, review) || (isSpent(review) && isShown(call, review))
}

/**
 * Whether the same content is asked for anew: its approval was used, it ended without anybody's decision, or its
 * decision is older than its deadline, past which nobody means it any more.
 */
function isOver(review: CaseAnswer, nowMs: number): boolean {
  if (review.state === 'cancelled' || review.state === 'expired') return true
  if (review.state === 'decided' && Date.parse(review.expiresAt) <= nowMs) return true
  return review.decision === 'approved' && isSpent(review)
}
