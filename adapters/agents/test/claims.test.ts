import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { ApiError, type CaseAnswer } from '@countersign/client'
import { createReviews, NotRun } from '../index.ts'
import { playedClient } from './played-client.ts'

const call = { sessionId: 's', callId: 'c1', name: 'pay', input: { amount: 1 } }
const other = { action: { tool: 'pay', arguments: { amount: 1_000_000 } } }

const deadlineMs = Date.parse('2026-11-26T18:00:00.000Z')
const expiresAt = new Date(deadlineMs).toISOString()

/** By content: the first case is approved, and has a deadline; whatever is asked for anew is rejected. */
async function timed(swap: Parameters<ReturnType<typeof playedClient>['withCalls']>[0]) {
  const { withCalls, decide, cases, client } = playedClient()
  const tools = { pay: {} }
  await createReviews(client, { tools, identify: 'content' }).check(call)
  decide('rc_1', 'approved', { expiresAt })
  const reviews = () =>
    createReviews(withCalls(swap), {
      tools,
      identify: 'content',
      onOpen: ({ reviewCaseId, state }) => {
        if (state === 'open') decide(reviewCaseId, 'rejected')
      },
    })
  return { reviews, cases }
}

/** Whether a call ran, and how many cases there are of it. */
async function played({ reviews, cases }: Awaited<ReturnType<typeof timed>>) {
  let ran = 0
  const error = await reviews()
    .run(call, () => ++ran)
    .catch((reason: unknown) => reason)
  return [ran, cases.size, error instanceof NotRun ? error.code : null]
}

/** Tries of a claim whose first answers are lost; `apply`: whether the service took it. */
function losing(lost: number, apply: boolean) {
  let tries = 0
  const swap: Parameters<ReturnType<typeof playedClient>['withCalls']>[0] = ({
    reportContinuation,
  }) => ({
    async reportContinuation(report) {
      if (report.outcome !== 'resumed') return reportContinuation(report)
      const isLost = ++tries <= lost
      const claimed = apply || !isLost ? await reportContinuation(report) : null
      if (!claimed || isLost) throw new ApiError('no_answer', 'reset', {})
      return claimed
    },
  })
  return { swap, tries: () => tries }
}

/** Resolves once so many tries were made and the next is waited for. */
async function reached(nth: number, tries: () => number): Promise<void> {
  for (let round = 0; tries() < nth; round++) {
    assert.ok(round < 1_000, `expected try ${nth}`)
    await soon()
  }
  await soon()
}

describe('a claim', () => {
  it('by content is made of nothing past its deadline, however long the service was away', async (t) => {
    for (const apply of [false, true]) {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: deadlineMs - 500 })
      const { swap, tries } = losing(1, apply)
      const done = played(await timed(swap))
      await reached(1, tries)
      t.mock.timers.tick(1_000)
      assert.deepEqual(await done, [0, 2, 'rejected'])
      assert.equal(tries(), 1)
      t.mock.timers.reset()
    }
  })

  it('by content is made of nothing whose deadline passed while it was read', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: deadlineMs - 500 })
    let isSlow = true
    const cases = await timed(({ find }) => ({
      async find(place) {
        const review = await find(place)
        if (isSlow) t.mock.timers.tick(500)
        isSlow = false
        return review
      },
    }))
    assert.deepEqual(await played(cases), [0, 2, 'rejected'])
    assert.equal(cases.cases.get('rc_1')?.continuation, null)
  })

  it('by content runs nothing where it or its answer came past the deadline', async (t) => {
    for (const late of ['claim', 'answer', null] as const) {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: deadlineMs - 500 })
      const cases = await timed(({ reportContinuation }) => ({
        async reportContinuation(report) {
          const { continuation, ...review } = await reportContinuation(report)
          if (late === 'answer') t.mock.timers.tick(500)
          const reportedAt = late === 'claim' ? expiresAt : '2026-11-26T17:59:59.999Z'
          return { ...review, continuation: continuation && { ...continuation, reportedAt } }
        },
      }))
      assert.deepEqual(await played(cases), late ? [0, 2, 'rejected'] : [1, 1, null], String(late))
      t.mock.timers.reset()
    }
  })

  it('whose answer was lost is carried to its end, though the signal aborts meanwhile', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: deadlineMs - 5_000 })
    const { swap, tries } = losing(1, true)
    const { reviews, cases } = await timed(swap)
    const left = new AbortController()
    const done = reviews().run(call, () => 'paid', { signal: left.signal })
    await reached(1, tries)
    left.abort()
    await soon()
    t.mock.timers.tick(1_000)
    assert.equal(await done, 'paid')
    assert.deepEqual([cases.size, tries()], [1, 2])
  })

  it('that has no answer long after its signal is gone on with by the same call', async (t) => {
    for (const apply of [false, true]) {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: deadlineMs - 60_000 })
      const { swap, tries } = losing(4, apply)
      const { reviews, cases } = await timed(swap)
      const left = new AbortController()
      const done = reviews().run(call, () => 'paid', { signal: left.signal })
      const ended = assert.rejects(done, { name: 'AbortError' })
      for (let nth = 1; nth <= 4; nth++) {
        await reached(nth, tries)
        left.abort()
        t.mock.timers.tick(1_000)
      }
      await ended
      assert.equal(await reviews().run(call, () => 'paid'), 'paid')
      assert.deepEqual([cases.size, tries()], [1, 5])
      await assert.rejects(
        reviews().run(call, () => 'paid'),
        NotRun,
      )
      assert.equal(cases.size, 2)
      t.mock.timers.reset()
    }
  })

  it('for who left meanwhile, and can run nothing, stays for who spends the approval next', async () => {
    const { withCalls, decide } = playedClient()
    const left = new AbortController()
    const client = withCalls(({ reportContinuation }) => ({
      reportContinuation(report) {
        left.abort()
        return reportContinuation(report)
      },
    }))
    const reviews = createReviews(client, { tools: { pay: {} } })
    await reviews.check(call)
    decide('rc_1', 'approved')
    const verdict = await reviews.ask(call)
    await assert.rejects(reviews.spend(call, verdict, { signal: left.signal }), {
      name: 'AbortError',
    })
    const again = await reviews.ask(call)
    const codes = [await reviews.spend(call, again), await reviews.spend(call, again)]
    assert.deepEqual(
      codes.map(({ code }) => code),
      ['approved', 'spent'],
    )
  })

  it('denies where the service refuses it, whatever hears of that throws', async () => {
    const { withCalls, decide } = playedClient()
    const client = withCalls(() => ({
      reportContinuation: async () => {
        throw new ApiError('forbidden', 'another key', { status: 403 })
      },
    }))
    const onProblem = () => {
      throw new Error('the log is full')
    }
    const reviews = createReviews(client, { tools: { pay: {} }, onProblem })
    await reviews.check(call)
    decide('rc_1', 'approved')
    const verdict = await reviews.spend(call, await reviews.ask(call))
    assert.equal(verdict.code, 'refused')
  })

  it('is of the run whose detail the service has, though another is answered with the same outcome', async () => {
    const { client, decide, withCalls } = playedClient()
    await createReviews(client, { tools: { pay: {} } }).check(call)
    decide('rc_1', 'approved')
    const second = withCalls(({ reportContinuation }) => ({
      async reportContinuation(report) {
        await reportContinuation({ ...report, detail: 'run-before' })
        return reportContinuation(report)
      },
    }))
    const error = await createReviews(second, { tools: { pay: {} } })
      .run(call, () => assert.fail('ran'))
      .catch((reason: unknown) => reason)
    assert.equal(error instanceof NotRun ? error.code : error, 'spent')
  })

  it('runs nothing where the case that is claimed tells something else than the one that was read', async () => {
    const lies: readonly Partial<CaseAnswer>[] = [
      { decision: 'rejected' },
      { state: 'cancelled' },
      { presentation: other },
      { reviewCaseId: 'rc_2' },
      { sessionId: 't' },
    ]
    for (const lie of lies) {
      const { withCalls, decide } = playedClient()
      const client = withCalls(({ reportContinuation }) => ({
        reportContinuation: async (report) => ({ ...(await reportContinuation(report)), ...lie }),
      }))
      const reviews = createReviews(client, { tools: { pay: {} } })
      await reviews.check(call)
      decide('rc_1', 'approved')
      let ran = 0
      const error = await reviews.run(call, () => ++ran).catch((reason: unknown) => reason)
      assert.ok(error instanceof NotRun, JSON.stringify(lie))
      assert.deepEqual([error.code, ran], ['changed', 0])
    }
  })

  it('that is under way is not ended by its signal', async () => {
    const { withCalls, decide, cases } = playedClient()
    const left = new AbortController()
    const client = withCalls(({ reportContinuation }) => ({
      async reportContinuation(report, { signal } = {}) {
        const claimed = await reportContinuation(report)
        left.abort()
        signal?.throwIfAborted()
        return claimed
      },
    }))
    const reviews = createReviews(client, { tools: { pay: {} } })
    await reviews.check(call)
    decide('rc_1', 'approved')
    assert.equal(await reviews.run(call, () => 'paid', { signal: left.signal }), 'paid')
    const verdict = await reviews.ask(call)
    cases.set('rc_1', { ...(cases.get('rc_1') as CaseAnswer), continuation: null })
    await assert.rejects(reviews.spend(call, verdict, { signal: left.signal }))
    assert.equal(cases.get('rc_1')?.continuation, null)
  })

  it('is made of no case that is open and shows another action', async () => {
    const { withCalls, decide } = playedClient()
    const client = withCalls(({ open }) => ({
      open: (asked) => open({ ...asked, presentation: other }),
    }))
    const reviews = createReviews(client, { tools: { pay: {} } })
    for (const isDecided of [false, true]) {
      if (isDecided) decide('rc_1', 'approved')
      const { verdict, review } = await reviews.open(call)
      assert.deepEqual([verdict?.code, verdict?.approved], ['changed', false])
      assert.equal(review?.reviewCaseId, 'rc_1')
    }
  })
})
