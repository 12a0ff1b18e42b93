import { ApiError, type CaseAnswer, type Client } from '@countersign/client'

/** A service of one case, which the first opening opens; it shows the presentation that was asked for. */
export function oneCase() {
  let review = {
    reviewCaseId: 'rc_1',
    state: 'open',
    decision: null,
    adopted: false,
    continuation: null,
    createdAt: '2026-11-26T10:00:00.000Z',
    updatedAt: '2026-11-26T10:00:00.000Z',
    expiresAt: '2126-11-26T18:00:00.000Z',
    presentationDigest: null,
    reviewerComment: null,
    response: null,
    followUps: [],
  } as unknown as CaseAnswer
  let isOpened = false
  const change = (more: Partial<CaseAnswer>) => {
    review = { ...review, ...more }
    return review
  }
  const reviewCases = {
    find: async ({ checkpointId }: Parameters<Client['reviewCases']['find']>[0]) => {
      if (isOpened && checkpointId === review.checkpoint.checkpointId) return review
      throw new ApiError('not_found', 'no such case', { status: 404 })
    },
    open: async ({
      sessionId,
      checkpointId,
      presentation,
    }: Parameters<Client['reviewCases']['open']>[0]) => {
      if (isOpened) return review
      isOpened = true
      return change({ sessionId, checkpoint: { checkpointId }, presentation } as CaseAnswer)
    },
    read: async () => review,
    cancel: async () => {
      if (review.state === 'open') return change({ state: 'cancelled' })
      throw new ApiError('invalid_transition', 'closed', { status: 409 })
    },
    reportContinuation: async ({
      outcome,
      detail = null,
    }: Pick<Parameters<Client['reviewCases']['reportContinuation']>[0], 'outcome' | 'detail'>) => {
      if (review.continuation?.outcome === outcome) return review
      if (review.continuation)
        throw new ApiError('continuation_conflict', 'reported before', { status: 409 })
      return change({ continuation: { outcome, detail, reportedAt: '' } })
    },
  }
  return {
    client: { reviewCases } as unknown as Client,
    /** To be changed by tests. */
    reviewCases,
    review: () => review,
    change,
    decide: (decision: 'approved' | 'rejected', reviewerComment: string | null = null) =>
      void change({ state: 'decided', decision, reviewerComment } as Partial<CaseAnswer>),
  }
}
