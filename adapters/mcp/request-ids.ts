import { randomBytes } from 'node:crypto'
import { actionOf } from '@countersign/agents'
import type { CaseAnswer, Client } from '@countersign/client'
import { isSameText, sealing } from './sealed-id.ts'
import { findCase } from './session-cases.ts'

/** A request, as it was asked. */
export interface AskedRequest {
  readonly reviewCaseId: string
  readonly checkpointId: string
  readonly action: string
  readonly input: unknown
  /** Why it is asked. */
  readonly why?: string | undefined
}

/** Ids of requests, by which an agent asks what became of them. */
export interface RequestIds {
  of(request: AskedRequest): string
  /** Whether the id is that of the request which a case shows. */
  isOf(id: string, review: CaseAnswer): boolean
  find(id: string): Promise<CaseAnswer | null>
}

/** Ids that are those of the cases: what these show is the service's word. */
export function caseIds(client: Client, sessionId: string): RequestIds {
  return {
    of: ({ reviewCaseId }) => reviewCaseId,
    isOf: (id, { reviewCaseId }) => id === reviewCaseId,
    find: (id) => findCase(client, sessionId, id),
  }
}

/**
 * Ids with a MAC over the request. A pinned reviewer may have signed several cases, and the service may tell one of
 * another request: that has another id. `whyOf`: why a case was asked, as it shows that.
 */
export function sealedIds(
  client: Client,
  { sessionId, secret }: { readonly sessionId: string; readonly secret: string },
  whyOf: (review: CaseAnswer) => string | undefined,
): RequestIds {
  const seal = sealing(secret)
  const of: RequestIds['of'] = ({ reviewCaseId, checkpointId, action, input, why = null }) =>
    seal(reviewCaseId, [sessionId, checkpointId, action, input, why])

  const isOf: RequestIds['isOf'] = (id, review) => {
    const shown = actionOf(review)
    if (!shown) return false
    const { checkpointId } = review.checkpoint
    const { reviewCaseId } = review
    const { tool: action, arguments: input } = shown
    const why = whyOf(review)
    return isSameText(id, of({ reviewCaseId, checkpointId, action, input, why }))
  }

  return {
    of,
    isOf,
    async find(id) {
      const [reviewCaseId = ''] = id.split('.')
      const review = await findCase(client, sessionId, reviewCaseId)
      return review && isOf(id, review) ? review : null
    },
  }
}

/** Key of the MAC, unless one is given: ids are those of this process then. */
export const processSecret = randomBytes(32).toString('hex')
