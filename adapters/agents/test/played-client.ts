import { ApiError, type CaseAnswer, type Client } from '@countersign/client'
import { canonicalize, digestOf } from '@countersign/core/canonical'

type Opening = Parameters<Client['reviewCases']['open']>[0]
type Calls = Pick<
  Client['reviewCases'],
  'open' | 'find' | 'read' | 'request' | 'cancel' | 'reportContinuation'
>

function idOf(asked: Parameters<Calls['read']>[0]): string {
  return 'case' in asked ? asked.case.reviewCaseId : asked.reviewCaseId
}

/** A service in memory, as far as reviews need it. A case is decided by `decide`, and read again every 5 ms. */
export function playedClient() {
  const cases = new Map<string, CaseAnswer>()
  const requests = new Map<string, { readonly text: string; readonly reviewCaseId: string }>()

  function found(reviewCaseId: string): CaseAnswer {
    const review = cases.get(reviewCaseId)
    if (!review) throw new ApiError('not_found', 'no such case', { status: 404 })
    return review
  }

  function change(reviewCaseId: string, more: Partial<CaseAnswer>): CaseAnswer {
    const was = found(reviewCaseId)
    const review = { ...was, ...more, caseVersion: was.caseVersion + 1 }
    cases.set(reviewCaseId, review)
    return review
  }

  function openOf(asked: Opening): CaseAnswer {
    const { idempotencyKey = '', expiresAt: _, ...rest } = asked
    const text = canonicalize(JSON.parse(JSON.stringify(rest)))
    const before = requests.get(idempotencyKey)
    if (before && before.text !== text)
      throw new ApiError('idempotency_conflict', 'another request', { status: 409 })
    if (before) return found(before.reviewCaseId)
    const reviewCaseId = `rc_${cases.size + 1}`
    requests.set(idempotencyKey, { text, reviewCaseId })
    const review = {
      reviewCaseId,
      sessionId: asked.sessionId,
      checkpoint: { checkpointId: asked.checkpointId, resumeToken: asked.resumeToken },
      presentation: asked.presentation,
      presentationDigest: digestOf(asked.presentation),
      caseVersion: 1,
      state: 'open',
      decision: null,
      adopted: false,
      continuation: null,
      expiresAt: '2126-11-26T18:00:00.000Z',
      reviewerComment: null,
      decidedBy: null,
      response: null,
      followUps: [],
    } as unknown as CaseAnswer
    cases.set(reviewCaseId, review)
    return review
  }

  const reviewCases: Calls = {
    open: async (asked) => openOf(asked),
    async find({ sessionId, checkpointId }) {
      const at = [...cases.values()].filter(
        ({ checkpoint, ...each }) =>
          each.sessionId === sessionId && checkpoint.checkpointId === checkpointId,
      )
      return found(at.at(-1)?.reviewCaseId ?? '')
    },
    read: async (asked) => found(idOf(asked)),
    async request(asked, { signal, onOpen } = {}) {
      const opened = openOf(asked)
      onOpen?.(opened)
      for (;;) {
        signal?.throwIfAborted()
        const review = found(opened.reviewCaseId)
        if (review.state !== 'open') return review as never
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    cancel: async (asked) => change(idOf(asked), { state: 'cancelled' }),
    async reportContinuation({ outcome, detail = null, ...asked }) {
      const reviewCaseId = idOf(asked)
      const { continuation, state } = found(reviewCaseId)
      if (state === 'open') throw new ApiError('invalid_transition', 'open', { status: 409 })
      if (continuation?.outcome === outcome) return found(reviewCaseId)
      if (continuation)
        throw new ApiError('continuation_conflict', 'reported before', { status: 409 })
      return change(reviewCaseId, { continuation: { outcome, detail, reportedAt: '' } })
    },
  }
  const client = { reviewCases } as unknown as Client

  /** Ends a case, by its id. */
  const decide = (
    reviewCaseId: string,
    decision: 'approved' | 'rejected' | 'response_submitted',
    more: Partial<CaseAnswer> = {},
  ) => change(reviewCaseId, { state: 'decided', decision, decidedBy: 'mem_1', ...more })

  /** The same with other calls in the place of some. */
  const withCalls = (swap: (calls: Calls) => Partial<Calls>): Client =>
    ({ reviewCases: { ...reviewCases, ...swap(reviewCases) } }) as unknown as Client

  /** As after 30 days: no opening is known by its key. */
  const forget = () => requests.clear()

  return { client, cases, change, decide, forget, withCalls }
}
