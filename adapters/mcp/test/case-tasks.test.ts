import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews } from '@countersign/agents'
import { ApiError, type CaseAnswer, type Client } from '@countersign/client'
import { type CaseTasksOptions, createCaseTasks } from '../case-tasks.ts'

const call = { sessionId: 's', callId: '', name: 'transfer', input: { amount: 5 } }

/** The task of a call, whose case is kept by a service of one case. */
async function opened(more: Partial<CaseTasksOptions> = {}) {
  const reviewCaseId = 'rc_1'
  let review = {
    reviewCaseId,
    sessionId: 's',
    checkpoint: { checkpointId: 'transfer:1' },
    presentation: { action: { tool: 'transfer', arguments: call.input } },
    state: 'open',
    decision: null,
    continuation: null,
    createdAt: '2026-11-26T10:00:00.000Z',
    expiresAt: '2026-11-26T18:00:00.000Z',
    followUps: [],
  } as unknown as CaseAnswer
  let isForbidden = false
  let isOpened = false
  const changed = (change: Partial<CaseAnswer>) => {
    review = { ...review, ...change }
    return review
  }
  const reviewCases = {
    find: async () => {
      if (isOpened) return review
      throw new ApiError('not_found', 'no such case', { status: 404 })
    },
    open: async () => {
      isOpened = true
      return review
    },
    read: async () => review,
    cancel: async () => {
      if (review.state === 'open') return changed({ state: 'cancelled' })
      throw new ApiError('invalid_transition', 'closed', { status: 409 })
    },
    reportContinuation: async ({ outcome, detail }: { outcome: 'resumed'; detail: string }) => {
      if (isForbidden) throw new ApiError('forbidden', 'another key', { status: 403 })
      if (review.continuation)
        throw new ApiError('continuation_conflict', 'reported before', { status: 409 })
      return changed({ continuation: { outcome, detail, reportedAt: '' } })
    },
  }
  const client = { reviewCases } as unknown as Client
  const reviews = createReviews(client, { tools: {}, others: 'ask', identify: 'content' })
  const secret = 'a secret of at least 32 characters'
  const options = { client, reviews, sessionId: 's', secret, results: new Map(), ...more }
  const tasks = createCaseTasks(options)
  let ran = 0
  const act = async () => {
    ran++
    return { content: [] }
  }
  const { taskId } = await tasks.start(call, act)
  const id = String(taskId)
  return {
    reviewCases,
    get: () => tasks.get(id, act),
    cancel: () => tasks.cancel(id),
    decide: (decision: 'approved' | 'rejected', reviewerComment: string | null = null) =>
      void changed({ state: 'decided', decision, reviewerComment } as Partial<CaseAnswer>),
    forbid: (is: boolean) => {
      isForbidden = is
    },
    ran: () => ran,
  }
}

describe('a call as a task', () => {
  it('never runs once it was cancelled, though it was approved', async () => {
    const task = await opened()
    task.decide('approved')
    await task.cancel()
    assert.equal((await task.get())?.status, 'cancelled')
    assert.equal(task.ran(), 0)
  })

  it('never runs when it is approved while it is being cancelled', async () => {
    const task = await opened()
    const { cancel } = task.reviewCases
    task.reviewCases.cancel = () => {
      task.decide('approved')
      return cancel()
    }
    await task.cancel()
    assert.equal((await task.get())?.status, 'cancelled')
    assert.equal(task.ran(), 0)
  })

  it('that began goes on when it is cancelled', async () => {
    const task = await opened()
    task.decide('approved')
    await task.get()
    await task.cancel()
    assert.equal((await task.get())?.status, 'completed')
    assert.equal(task.ran(), 1)
  })

  it('works on while the service refuses its claim, and runs afterwards', async () => {
    const task = await opened()
    task.decide('approved')
    task.forbid(true)
    assert.equal((await task.get())?.status, 'working')
    task.forbid(false)
    for (const _ of [1, 2]) assert.equal((await task.get())?.status, 'completed')
    assert.equal(task.ran(), 1)
  })

  it('tells the words of a reviewer only where it is told to', async () => {
    for (const comment of [undefined, 'withhold', 'tell'] as const) {
      const task = await opened(comment && { comment })
      task.decide('rejected', 'The account is watched.')
      const told = JSON.stringify(await task.get())
      assert.match(told, /Rejected by a reviewer/)
      assert.equal(told.includes('watched'), comment === 'tell')
    }
  })
})
