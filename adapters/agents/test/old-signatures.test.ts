import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SignatureCheck } from '@countersign/client'
import { createReviews, NotRun, type Problem, type ReviewsOptions } from '../index.ts'
import { playedClient } from './played-client.ts'

const call = { sessionId: 's', callId: '', name: 'pay', input: { amount: 1 } }
const now = Date.parse('2026-11-27T16:00:00.000Z')
const hourMs = 60 * 60_000

/** What a reviewer signs, as far as times and places matter. */
interface Statement {
  readonly checkpointId: string
  readonly issuedAt: string
}

/** Counts a signature for 24 hours, where it was asked for, and none of a time to come. */
const reviewers: SignatureCheck = {
  async faultOf({ decisionSignature, decision }, { checkpointId }, { receivedAt }) {
    const { statement } = Object(decisionSignature) as { readonly statement?: Statement }
    if (statement?.checkpointId !== checkpointId)
      return { code: 'not_signed', detail: 'signed elsewhere' }
    const agoMs = receivedAt - Date.parse(statement.issuedAt)
    if (decision === 'rejected' || (agoMs >= 0 && agoMs <= 24 * hourMs)) return null
    return { code: 'out_of_time', detail: 'signed at another time' }
  },
}

/** Reviews by content, whose cases are decided and signed by `sign`, at the time of a clock that the test sets. */
function signing(options: Partial<ReviewsOptions> = {}) {
  const played = playedClient()
  const problems: Problem[] = []
  const reviews = createReviews(played.client, {
    tools: {},
    identify: 'content',
    reviewers,
    onProblem: (problem) => problems.push(problem),
    ...options,
  })
  function sign(
    id: string,
    decision: Parameters<typeof played.decide>[1] = 'approved',
    issuedAt = Date.now(),
  ) {
    const { checkpoint } = played.cases.get(id) ?? assert.fail(`no case ${id}`)
    const { checkpointId } = checkpoint
    const statement = { checkpointId, issuedAt: new Date(issuedAt).toISOString() }
    const decisionSignature = { publicKey: {}, statement }
    played.decide(id, decision, { decisionSignature } as object)
  }
  const spent = () =>
    [...played.cases.values()]
      .filter(({ continuation }) => continuation)
      .map((each) => each.reviewCaseId)
  const ran = () => reviews.run(call, () => 'ran', { signal: AbortSignal.timeout(1_000) })
  return { ...played, reviews, problems, sign, spent, ran }
}

describe('reviews by content whose reviewers are pinned', () => {
  for (const decision of ['approved', 'response_submitted'] as const)
    it(`ask anew once what was signed is too old: ${decision}`, async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now })
      const { reviews, sign, cases, spent, ran, problems } = signing()
      assert.equal(await reviews.check(call), null)
      sign('rc_1', decision)
      t.mock.timers.setTime(now + 24 * hourMs)
      assert.equal((await reviews.check(call))?.code, decision)
      t.mock.timers.setTime(now + 25 * hourMs)
      assert.equal(await reviews.check(call), null)
      assert.deepEqual([...cases.keys()], ['rc_1', 'rc_2'])
      sign('rc_2')
      assert.equal(await ran(), 'ran')
      assert.deepEqual(spent(), ['rc_2'])
      assert.deepEqual(problems, [])
      // Each approval is for one run.
      assert.equal(await reviews.check(call), null)
      assert.equal(cases.size, 3)
    })

  it('find the first request that counts behind many that are over', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now })
    const { reviews, sign, cases, ran, spent } = signing()
    const used: string[] = []
    for (let nth = 1; nth <= 9; nth++) {
      assert.equal(await reviews.check(call), null)
      const id = `rc_${nth}`
      assert.equal(cases.size, nth)
      sign(id)
      if (nth % 2) t.mock.timers.setTime(Date.now() + 25 * hourMs)
      else {
        assert.equal(await ran(), 'ran')
        used.push(id)
      }
    }
    assert.deepEqual(spent(), used)
  })

  it('ask nobody anew for an approval of a time to come, which counts later', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now })
    const { reviews, sign, cases, ran } = signing()
    await reviews.check(call)
    sign('rc_1', 'approved', now + hourMs)
    assert.match((await reviews.check(call))?.reason ?? '', /decision_out_of_time/)
    assert.equal(cases.size, 1)
    t.mock.timers.setTime(now + hourMs)
    assert.equal(await ran(), 'ran')
  })

  it('ask nobody anew for what nobody signed, nor for an old signature of another request', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now })
    const { reviews, sign, cases, change, decide } = signing()
    await reviews.check(call)
    sign('rc_1')
    const { decisionSignature } = cases.get('rc_1') as { readonly decisionSignature?: unknown }
    t.mock.timers.setTime(now + 25 * hourMs)
    await reviews.check(call)
    for (const told of [decisionSignature, null]) {
      decide('rc_2', 'approved', { decisionSignature: told } as object)
      assert.match((await reviews.check(call))?.reason ?? '', /decision_not_signed/)
    }
    change('rc_2', { state: 'weird' } as object)
    assert.equal((await reviews.check(call))?.code, 'refused')
    assert.equal(cases.size, 2)
  })

  it('ask nobody anew while a check fails, nor of a call that is known by its id', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now })
    let isAway = false
    const away: SignatureCheck = {
      faultOf: (...given) =>
        isAway ? Promise.reject(new Error('no keys')) : reviewers.faultOf(...given),
    }
    for (const options of [{ reviewers: away }, { identify: 'call' }] as const) {
      t.mock.timers.setTime(now)
      isAway = false
      const { reviews, sign, cases } = signing(options)
      await reviews.check(call)
      sign('rc_1')
      isAway = true
      t.mock.timers.setTime(now + 25 * hourMs)
      assert.equal((await reviews.check(call))?.code, 'refused')
      assert.equal(cases.size, 1)
    }
  })

  it('end a check of what was signed with the signal of who waits', async () => {
    const left = new AbortController()
    let checks = 0
    const { reviews, sign } = signing({
      reviewers: {
        faultOf() {
          checks++
          left.abort(new Error('left'))
          return new Promise(() => {})
        },
      },
    })
    await reviews.check(call)
    sign('rc_1')
    await assert.rejects(reviews.check(call, { signal: left.signal }), /left/)
    assert.equal(checks, 1)
  })

  it('hold an old rejection, which counts whenever it was signed', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now })
    const { reviews, sign, cases, ran } = signing()
    await reviews.check(call)
    sign('rc_1', 'rejected')
    t.mock.timers.setTime(now + 25 * hourMs)
    await assert.rejects(ran(), (error) => error instanceof NotRun && error.code === 'rejected')
    assert.equal(cases.size, 1)
  })
})

describe('a case with a state or a decision that no closed case has', () => {
  it('is refused, and nothing runs', async () => {
    for (const [state, decision] of [
      ['approved', 'rejected'],
      ['approved', 'approved'],
      ['decided', 'follow_up_required'],
      ['decided', 'constructor'],
      ['weird', 'weird'],
    ] as const)
      for (const identify of ['call', 'content'] as const) {
        const { client, change, cases } = playedClient()
        const problems: string[] = []
        const reviews = createReviews(client, {
          tools: {},
          identify,
          onProblem: ({ code }) => problems.push(code),
        })
        await reviews.check(call)
        change('rc_1', { state, decision } as object)
        const review = cases.get('rc_1') ?? assert.fail('no case')
        for (const verdict of [await reviews.verdictOf(call, review), await reviews.ask(call)])
          assert.deepEqual([verdict?.approved, verdict?.code], [false, 'refused'])
        await assert.rejects(
          reviews.run(call, () => assert.fail('ran')),
          NotRun,
        )
        assert.deepEqual(new Set(problems), new Set(['unexpected_answer']))
      }
  })
})
