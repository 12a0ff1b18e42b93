import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ApiError,
  type DecidedCase,
  type DecidedTimes,
  type RequestedCase,
  type SignatureCheck,
} from '@countersign/client'
import { createReviews, NotRun, type Problem, type ReviewsOptions } from '../index.ts'
import { playedClient } from './played-client.ts'

const call = { sessionId: 's', callId: 'c1', name: 'pay', input: { amount: 1 } }

/** Reviews whose case is decided as it is opened; its reviewer's signature is good where `fault` is null. */
function reviewed(
  fault: string | null,
  options: Partial<ReviewsOptions> = {},
  decision: 'approved' | 'rejected' = 'approved',
) {
  const played = playedClient()
  const checked: {
    readonly decided: DecidedCase
    readonly asked: RequestedCase
    readonly times: DecidedTimes
  }[] = []
  const problems: Problem[] = []
  const reviewers: SignatureCheck = {
    async faultOf(decided, asked, times) {
      checked.push({ decided, asked, times })
      return fault === null ? null : { code: 'not_signed', detail: fault }
    },
  }
  const reviews = createReviews(played.client, {
    tools: { pay: { describe: () => ({ summary: 'Rent' }) } },
    reviewers,
    via: 'worker',
    onOpen: ({ reviewCaseId, state }) => {
      if (state === 'open') played.decide(reviewCaseId, decision)
    },
    onProblem: (problem) => problems.push(problem),
    ...options,
  })
  return { ...played, reviews, checked, problems }
}

describe('reviews that pin the keys of reviewers', () => {
  it('run nothing that none of them signed, and spend no approval of it', async () => {
    for (const identify of ['call', 'content'] as const) {
      const { reviews, cases, problems } = reviewed('no such key', { identify })
      const error = await reviews
        .run(call, () => assert.fail('ran'))
        .catch((reason: unknown) => reason)
      assert.ok(error instanceof NotRun, String(error))
      assert.equal(error.code, 'refused')
      assert.match(error.message, /signed/)
      assert.equal(cases.get('rc_1')?.continuation, null)
      assert.ok(problems.some(({ code }) => code === 'decision_not_signed'))
    }
  })

  it('tell a decision that was signed at another time from one that nobody signed', async () => {
    const { reviews, problems } = reviewed(null, {
      reviewers: { faultOf: async () => ({ code: 'out_of_time', detail: 'signed long ago' }) },
    })
    const { code, reason } = await reviews.ask(call)
    assert.equal(code, 'refused')
    assert.match(reason, /^A reviewer signed .*decision_out_of_time/)
    assert.match(
      String(problems[0]?.error),
      /decision_out_of_time: case rc_1 is approved, signed long ago/,
    )
  })

  it('believe no rejection that none of them signed, and need no signature of a deadline', async () => {
    const { reviews, change } = reviewed('no such key', {}, 'rejected')
    assert.equal((await reviews.ask(call)).code, 'refused')
    assert.equal((await reviews.check(call))?.code, 'refused')
    const response = { pay: 1 }
    change('rc_1', { state: 'expired', decision: null, response })
    const { code, outcome } = (await reviews.check(call)) ?? assert.fail('it is open')
    assert.equal(code, 'expired')
    // Nobody signed what is told of a reviewer.
    assert.deepEqual([outcome?.response, outcome?.decidedBy], [null, null])
  })

  it('run what is signed for what this call asks, whatever the case says that was asked', async () => {
    const { reviews, checked, change, cases } = reviewed(null)
    assert.equal(await reviews.check(call), null)
    const action = { tool: 'pay', arguments: { amount: 1 } }
    change('rc_1', { checkpoint: { checkpointId: 'other', resumeToken: 'other' } } as never)
    const { checkpointId, resumeToken } = [...cases.values()][0]?.checkpoint ?? {}
    assert.deepEqual([checkpointId, resumeToken], ['other', 'other'])
    const verdict = await reviews.verdictOf(call, [...cases.values()][0] as never)
    assert.equal(verdict?.approved, true)
    const { decided, asked } = checked.at(-1) ?? assert.fail('nothing was checked')
    assert.deepEqual(asked.presentation, { action, summary: 'Rent' })
    for (const each of [asked, decided]) {
      assert.deepEqual([each.sessionId, each.checkpointId], ['s', 'pay:c1'])
      assert.match(each.resumeToken ?? '', /"callId":"c1"/)
    }
    assert.equal(decided.decision, 'approved')
    const gift = { ...cases.get('rc_1'), presentation: { action, summary: 'A gift' } }
    assert.equal((await reviews.verdictOf(call, gift as never))?.code, 'changed')
  })

  it('have the time of the signature compared with now and with the deadline', async (t) => {
    const now = Date.parse('2026-11-27T12:00:00.000Z')
    t.mock.timers.enable({ apis: ['Date'], now })
    for (const expiresInMs of [undefined, 60_000]) {
      const tools = { pay: expiresInMs === undefined ? {} : { expiresInMs } }
      const { reviews, checked, cases } = reviewed(null, { tools })
      assert.equal(await reviews.check(call), null)
      const [found = assert.fail('no case')] = [...cases.values()]
      assert.equal((await reviews.verdictOf(call, found as never))?.approved, true)
      const deadline = expiresInMs === undefined ? undefined : now + expiresInMs
      assert.deepEqual(checked.at(-1)?.times, { receivedAt: now, deadline })
    }
  })

  for (const [name, isAway] of [
    ['is claimed once that is answered', false],
    ['is claimed after the service was away', true],
  ] as const)
    it(`run nothing whose signature grew too old while it ${name}`, async (t) => {
      const [now, dayMs] = [Date.parse('2026-11-27T12:00:00.000Z'), 24 * 60 * 60_000]
      t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now })
      const played = playedClient()
      const client = played.withCalls(({ reportContinuation }) => ({
        async reportContinuation(asked) {
          t.mock.timers.setTime(now + 3 * dayMs)
          if (!isAway) return reportContinuation(asked)
          // The next try is a second later.
          setImmediate(() => t.mock.timers.tick(1_000))
          throw new ApiError('no_answer', 'away')
        },
      }))
      const detail = 'signed long ago'
      const reviews = createReviews(client, {
        tools: {},
        reviewers: {
          faultOf: async (_, __, { receivedAt }) =>
            receivedAt - now > dayMs ? { code: 'out_of_time', detail } : null,
        },
        onOpen: ({ reviewCaseId }) => played.decide(reviewCaseId, 'approved'),
      })
      const error = await reviews
        .run(call, () => assert.fail('ran'))
        .catch((reason: unknown) => reason)
      assert.ok(error instanceof NotRun, String(error))
      assert.match(error.message, /decision_out_of_time/)
      const { continuation } = played.cases.get('rc_1') ?? assert.fail('no case')
      assert.equal(continuation === null, isAway)
    })

  it('use no approval whose signature grew too old while the others were claimed', async () => {
    let fault: string | null = null
    const faultOf = async () =>
      fault === null ? null : { code: 'out_of_time' as const, detail: fault }
    const { reviews } = reviewed(null, { reviewers: { faultOf } })
    const verdict = await reviews.ask(call)
    const claimed = async () => {
      fault = 'signed long ago'
    }
    const together = { claimed, checked: async () => {} }
    const { approved, reason } = await reviews.spend(call, verdict, { together })
    assert.deepEqual([approved, /decision_out_of_time/.test(reason)], [false, true])
  })

  it('keep an approval that is not to be used without others', async () => {
    const { reviews } = reviewed(null)
    const verdict = await reviews.ask(call)
    const waits = { claimed: async () => {}, checked: async () => {} }
    for (const wait of ['claimed', 'checked'] as const) {
      const together = { ...waits, [wait]: () => Promise.reject(new Error('not all')) }
      const { approved, code } = await reviews.spend(call, verdict, { together })
      assert.deepEqual([approved, code], [false, 'refused'])
    }
    assert.equal((await reviews.spend(call, verdict)).approved, true)
    assert.equal((await reviews.spend(call, verdict)).approved, false)
  })

  it('verify again where an approval is spent, which somebody else may have read', async () => {
    const { client, reviews } = reviewed(null)
    const verdict = await reviews.ask(call)
    const { reviews: pinned, checked } = reviewed('no such key')
    assert.equal((await pinned.spend(call, verdict)).approved, false)
    assert.equal(checked.length, 1)
    const tools = { pay: { describe: () => ({ summary: 'Rent' }) } }
    const plain = createReviews(client, { tools })
    assert.equal((await plain.spend(call, verdict)).approved, true)
  })

  it('are never left out for reviewers that can check nothing', () => {
    const { client } = playedClient()
    for (const reviewers of [null, undefined, {}]) {
      const options = { tools: {}, reviewers } as unknown as ReviewsOptions
      assert.throws(() => createReviews(client, options), /expected reviewers as pinReviewers/)
    }
  })

  /** Reviews whose reviewer signs where a case is, as who, and when; other signatures are not believed. */
  function signing(options: Partial<ReviewsOptions>, issuedAt: string) {
    const played = playedClient()
    const reviewers: SignatureCheck = {
      async faultOf({ checkpointId, decisionSignature }) {
        const { statement } = decisionSignature as { readonly statement: typeof signed }
        return statement.checkpointId === checkpointId
          ? null
          : { code: 'not_signed', detail: 'signed elsewhere' }
      },
    }
    const signed = { checkpointId: '', memberId: 'mem_1', issuedAt }
    const problems: Problem[] = []
    const reviewsOf = (more: Partial<ReviewsOptions> = {}) =>
      createReviews(played.client, {
        tools: {},
        reviewers,
        onOpen: ({ reviewCaseId, state, checkpoint }) => {
          if (state !== 'open') return
          const statement = { ...signed, checkpointId: checkpoint.checkpointId }
          played.decide(reviewCaseId, 'approved', { decisionSignature: { statement } } as object)
        },
        onProblem: (problem) => problems.push(problem),
        ...options,
        ...more,
      })
    return { ...played, reviewsOf, problems }
  }
  const now = '2126-01-01T00:00:00.000Z'

  it('run nothing that the member signed for whom it is asked', async () => {
    for (const [member, approved] of [
      ['mem_1', false],
      ['mem_2', true],
    ] as const) {
      const tools = { pay: { requestedBy: () => member } }
      const { reviewsOf, problems } = signing({ tools }, now)
      assert.equal((await reviewsOf().ask(call)).approved, approved)
      assert.deepEqual(
        problems.map(({ error }) => /requester signed/.test(String(error))),
        approved ? [] : [true],
      )
    }
  })

  it('take no approval by content of another namespace for theirs, whatever the service finds', async () => {
    for (const name of ['pay', 'zahlen: jährlich']) {
      const content = { ...call, name }
      const { reviewsOf, cases, decide } = signing({ identify: 'content' }, now)
      assert.equal((await reviewsOf({ namespace: 'a' }).ask(content)).approved, true)
      const [found = assert.fail('no case')] = [...cases.values()]
      for (const [namespace, approved] of [
        ['a', true],
        ['b', false],
        [undefined, false],
      ] as const) {
        const verdict = await reviewsOf(namespace ? { namespace } : {}).verdictOf(content, found)
        assert.equal(verdict?.approved, approved, `${name} in ${namespace}`)
      }
      // A later call of the same content has its own.
      decide('rc_1', 'approved', { expiresAt: '2026-01-01T00:00:00.000Z' })
      assert.equal((await reviewsOf({ namespace: 'a' }).ask(content)).approved, true)
      assert.equal(cases.size, 2)
    }
  })

  it('take no approval by content that was signed longer ago than its case was to be open', async (t) => {
    const nowMs = Date.parse('2026-11-27T12:00:00.000Z')
    t.mock.timers.enable({ apis: ['Date'], now: nowMs })
    const tools = { pay: { expiresInMs: 60_000 } }
    for (const [agoMs, code] of [
      [59_999, 'approved'],
      [60_000, 'expired'],
      [Number.NaN, 'expired'],
    ] as const) {
      const issuedAt = agoMs ? new Date(nowMs - agoMs).toISOString() : 'yesterday'
      const { reviewsOf } = signing({ tools, identify: 'content' }, issuedAt)
      // It is open, and decided at once.
      assert.equal(await reviewsOf().check(call), null)
      assert.equal((await reviewsOf().check(call))?.code, code)
      const run = reviewsOf().run(call, () => 'ran')
      const error = await run.catch((reason: unknown) => reason)
      assert.equal(error instanceof NotRun ? error.code : 'approved', code)
    }
  })
})
