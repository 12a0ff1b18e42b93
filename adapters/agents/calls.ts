import { ApiError, type CaseAnswer, type Client, type ReviewRequest } from '@countersign/client'
import { isShown } from './present-call.ts'
import { isSpent } from './spend.ts'
import type { ToolCall } from './tool-call.ts'

/** An opening that is the same one each time that it is made. */
export type KeyedRequest = ReviewRequest & { readonly idempotencyKey: string }

/** Where a call is asked for: what opens its case, and its case where there is one. */
export interface FoundCall {
  readonly request: KeyedRequest
  readonly review: CaseAnswer | null
}

/** Of calls that show the same, more than any session makes. */
const mostRepeats = 2 ** 20

/** Finds the case of a call that has an id of its own. It opens nothing. */
export async function findCall(
  client: Client,
  request: KeyedRequest,
  signal: AbortSignal | undefined,
): Promise<FoundCall> {
  const { sessionId, checkpointId } = request
  const given = signal ? { signal } : {}
  const place = { sessionId, checkpointId }
  const review = await client.reviewCases.find(place, given).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'not_found') return null
    throw error
  })
  return { request, review }
}

/**
 * As `findCall`, of calls that are known by what they show: of the first whose case is not over. Each is asked for once
 * all before it are over, so that a search by halves finds it.
 */
export async function findRepeat(
  client: Client,
  requestOf: (nth: number) => KeyedRequest,
  signal: AbortSignal | undefined,
): Promise<FoundCall> {
  const at = (nth: number) => findCall(client, requestOf(nth), signal)
  const isFree = ({ review }: FoundCall) => !review || !isOver(review)
  let [over, free] = [0, 1]
  let first = await at(free)
  while (!isFree(first)) {
    over = free
    free *= 2
    if (free > mostRepeats) throw new Error(`expected fewer than ${mostRepeats} calls of a content`)
    first = await at(free)
  }
  while (free - over > 1) {
    const middle = Math.floor((free + over) / 2)
    const found = await at(middle)
    if (!isFree(found)) over = middle
    else {
      free = middle
      first = found
    }
  }
  return first
}

/** Whether a case has the answer to a call already: it is closed, and shows this very call. */
export function isAnswered(call: ToolCall, review: CaseAnswer | null): review is CaseAnswer {
  return review !== null && review.state !== 'open' && isShown(call, review)
}

/** Whether the same content is asked for anew: its approval was used, or it ended without anybody's decision. */
function isOver(review: CaseAnswer): boolean {
  if (review.state === 'cancelled' || review.state === 'expired') return true
  return review.decision === 'approved' && isSpent(review)
}
