import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews, type ReviewsOptions } from '@countersign/agents'
import { ApiError, type CaseAnswer, type SignatureCheck } from '@countersign/client'
import { type ActOn, createCaseTasks } from '../case-tasks.ts'
import { oneCase } from './one-case.ts'

const call = { sessionId: 's', callId: '', name: 'transfer', input: { amount: 5 } }

/** The task of a call, whose case is kept by a service of one case. */
async function opened(
  { comment = 'tell' }: Pick<ReviewsOptions, 'comment'> = {},
  input: Record<string, unknown> = call.input,
) {
  const { client, reviewCases, decide, change } = oneCase()
  const { reportContinuation, open } = reviewCases
  let isForbidden = false
  reviewCases.reportContinuation = (report) => {
    if (isForbidden) throw new ApiError('forbidden', 'another key', { status: 403 })
    return reportContinuation(report)
  }
  reviewCases.open = async (asked) => {
    const review = await open(asked)
    // As a host might that keeps the message.
    if (input !== call.input) input.amount = 1_000_000
    return review
  }
  const reviews = createReviews(client, {
    tools: {},
    others: 'ask',
    identify: 'content',
    comment,
  })
  const secret = 'a secret of at least 32 characters'
  const tasks = createCaseTasks({ client, reviews, sessionId: 's', secret, results: new Map() })
  const ran: unknown[] = []
  const act: ActOn = async ({ arguments: given }) => {
    ran.push(given)
    return { content: [] }
  }
  const start = async () => String((await tasks.start({ ...call, input })).taskId)
  const id = await start()
  return {
    reviewCases,
    id,
    start,
    get: (knows?: (tool: string) => boolean) => tasks.get(id, act, knows),
    cancel: () => tasks.cancel(id),
    decide,
    change,
    forbid: (is: boolean) => {
      isForbidden = is
    },
    ran: () => ran.length,
    all: ran,
  }
}

describe('a call as a task', () => {
  it('keeps its approval for a process that has the tool', async () => {
    const task = await opened()
    task.decide('approved')
    assert.equal((await task.get(() => false))?.status, 'working')
    assert.equal(task.ran(), 0)
    assert.equal((await task.get())?.status, 'completed')
    assert.equal((await task.get(() => false))?.status, 'completed')
    assert.equal(task.ran(), 1)
  })

  it('runs when it is polled, also where it was approved before it was asked for again', async () => {
    const task = await opened()
    task.decide('approved')
    assert.equal(await task.start(), task.id)
    assert.equal(task.ran(), 0)
    assert.equal((await task.get())?.status, 'completed')
    assert.equal(task.ran(), 1)
  })

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

  it('does not run past the deadline of its approval', async () => {
    const task = await opened()
    task.decide('approved')
    task.change({ expiresAt: '2020-01-01T00:00:00.000Z' })
    const told = await task.get()
    assert.equal(told?.status, 'completed')
    assert.match(JSON.stringify(told), /not used before the deadline/)
    assert.equal(task.ran(), 0)
  })

  it('does not run where its deadline passes while its approval is claimed', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-26T17:59:59.000Z') })
    const task = await opened()
    task.decide('approved')
    task.change({ expiresAt: '2026-11-26T18:00:00.000Z' })
    const { reportContinuation } = task.reviewCases
    task.reviewCases.reportContinuation = (report) => {
      t.mock.timers.tick(1_000)
      return reportContinuation(report)
    }
    assert.match(JSON.stringify(await task.get()), /not used before the deadline/)
    assert.equal(task.ran(), 0)
  })

  it('is polled again after a claim that threw', async () => {
    const { client, decide } = oneCase()
    const reviews = createReviews(client, { tools: {}, identify: 'content' })
    let isFirst = true
    const spend: typeof reviews.spend = async (...asked) => {
      if (!isFirst) return reviews.spend(...asked)
      isFirst = false
      throw new Error('the log is full')
    }
    const secret = 'a secret of at least 32 characters'
    const options = { client, reviews: { ...reviews, spend }, sessionId: 's', secret }
    const tasks = createCaseTasks({ ...options, results: new Map() })
    const id = String((await tasks.start(call)).taskId)
    decide('approved')
    await assert.rejects(
      tasks.get(id, async () => ({ content: [] })),
      /the log is full/,
    )
    assert.equal((await tasks.get(id, async () => ({ content: [] })))?.status, 'completed')
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

  it('runs what was shown, whatever becomes of the call meanwhile', async () => {
    const task = await opened({}, { amount: 5 })
    task.decide('approved')
    assert.equal((await task.get())?.status, 'completed')
    assert.deepEqual(task.all, [{ amount: 5 }])
  })

  it('tells the words of a reviewer where its reviews do', async () => {
    for (const comment of ['withhold', 'tell'] as const) {
      const task = await opened({ comment })
      task.decide('rejected', 'The account is watched.')
      const told = JSON.stringify(await task.get())
      assert.match(told, /Rejected by a reviewer/)
      assert.equal(told.includes('watched'), comment === 'tell')
    }
  })

  it('is told the result of its own run alone, whatever case its opening was answered with', async () => {
    const { client, reviewCases, decide, change } = oneCase()
    const reviews = createReviews(client, { tools: {}, identify: 'content' })
    const secret = 'a secret of at least 32 characters'
    const tasks = createCaseTasks({ client, reviews, sessionId: 's', secret, results: new Map() })
    const ran: unknown[] = []
    const act: ActOn = async ({ arguments: given }) => {
      ran.push(given)
      return { content: [{ type: 'text', text: `paid ${JSON.stringify(given)}` }] }
    }
    const first = String((await tasks.start(call)).taskId)
    decide('approved')
    assert.match(JSON.stringify(await tasks.get(first, act)), /paid/)
    // The case of the first call is told as that of the second.
    reviewCases.find = async () => {
      throw new ApiError('not_found', 'no such case', { status: 404 })
    }
    reviewCases.open = async ({ checkpointId, presentation }) =>
      change({
        ...{ state: 'open', decision: null, continuation: null },
        ...{ presentation, checkpoint: { checkpointId } },
      } as Partial<CaseAnswer>)
    const second = String((await tasks.start({ ...call, input: { amount: 7 } })).taskId)
    decide('rejected')
    const told = JSON.stringify(await tasks.get(second, act))
    assert.match(told, /Rejected by a reviewer/)
    assert.doesNotMatch(told, /paid/)
    assert.deepEqual(ran, [{ amount: 5 }])
  })

  it('is told the result of its run, also once its approval counts no more', async () => {
    let fault: Awaited<ReturnType<SignatureCheck['faultOf']>> = null
    const { client, decide } = oneCase()
    const reviewers = { faultOf: async () => fault }
    const reviews = createReviews(client, { tools: {}, identify: 'content', reviewers })
    const secret = 'a secret of at least 32 characters'
    const tasks = createCaseTasks({ client, reviews, sessionId: 's', secret, results: new Map() })
    let isDone = () => {}
    const done = new Promise<void>((resolve) => {
      isDone = resolve
    })
    const act: ActOn = async () => {
      await done
      return { content: [{ type: 'text', text: 'paid' }] }
    }
    const id = String((await tasks.start(call)).taskId)
    decide('approved')
    const first = tasks.get(id, act)
    await new Promise((resolve) => setImmediate(resolve))
    fault = { code: 'out_of_time', detail: 'signed long ago' }
    isDone()
    for (const told of [await first, await tasks.get(id, act)])
      assert.match(JSON.stringify(told), /paid/)
  })
})
