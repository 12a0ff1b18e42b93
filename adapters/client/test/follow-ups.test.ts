import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { ApiError, createClient } from '../index.ts'
import { asked, calledBack, playedService, resultOf } from './played-service.ts'
import { ingestUrl, key, refusal, type Seen } from './support.ts'

const isAnswer = ({ path }: Seen) => path.endsWith('/follow-up-response')

/** Takes as long as nobody ends it; tells when it is not wanted any more. */
function endless() {
  const asks: { readonly question: string; readonly signal: AbortSignal }[] = []
  const onFollowUp = (question: string, _: unknown, signal: AbortSignal) => {
    asks.push({ question, signal })
    return new Promise<string>(() => {})
  }
  return { asks, onFollowUp }
}

describe("a reviewer's question", () => {
  it('answers the question that waits, not one that a reassignment dropped', async () => {
    const { client, change, cases, decide, clock, outcome } = playedService()
    const dropped = { question: 'Dropped?', answer: null }
    clock.after(1_500, () => change('rc_c', { followUps: [dropped], decision: null }))
    clock.after(20_000, () =>
      change('rc_c', {
        followUps: [dropped, { question: 'Who?', answer: null }],
        decision: 'follow_up_required',
      }),
    )
    clock.after(60_000, () => decide('rc_c', 'approved'))
    const questions: string[] = []
    const onFollowUp = (question: string) => {
      questions.push(question)
      return 'ACME'
    }
    const done = await outcome(client.reviewCases.request(asked, { onFollowUp }))
    assert.equal(resultOf(done).approved, true)
    assert.deepEqual(questions, ['Who?'])
    assert.deepEqual(cases.get('rc_c')?.followUps, [dropped, { question: 'Who?', answer: 'ACME' }])
  })

  it("answers a reviewer's question", async () => {
    const { client, change, cases, decide, clock, outcome } = playedService()
    clock.after(1_500, () =>
      change('rc_c', {
        followUps: [{ question: 'Who?', answer: null }],
        decision: 'follow_up_required',
      }),
    )
    clock.after(30_000, () => decide('rc_c', 'approved'))
    const asking = client.reviewCases.request(asked, {
      onFollowUp: (question) => `${question} ACME`,
    })
    assert.equal(resultOf(await outcome(asking)).approved, true)
    assert.deepEqual(cases.get('rc_c')?.followUps, [{ question: 'Who?', answer: 'Who? ACME' }])
  })

  it('goes on where its answer to a question came too late, or was heard and not acknowledged', async () => {
    for (const lost of [true, false]) {
      let answers = 0
      const world = playedService((seen) => {
        if (!seen.path.endsWith('follow-up-response') || answers++ > 0) return null
        if (lost) return { answer: 'network', acts: true }
        world.change('rc_c', {
          followUps: [{ question: 'Who?', answer: 'a colleague' }],
          decision: null,
        })
        const answer = refusal('precondition_failed', 412, { case: world.cases.get('rc_c') })
        return { answer, acts: false }
      })
      const { client, change, decide, clock, outcome } = world
      clock.after(1_500, () =>
        change('rc_c', {
          followUps: [{ question: 'Who?', answer: null }],
          decision: 'follow_up_required',
        }),
      )
      clock.after(30_000, () => decide('rc_c', 'approved'))
      const asking = client.reviewCases.request(asked, { onFollowUp: () => 'ACME' })
      assert.equal(resultOf(await outcome(asking)).approved, true)
      assert.equal(answers, lost ? 2 : 1)
    }
  })

  it('is answered over an absence of the service, by one word of the application', async () => {
    for (const acts of [true, false]) {
      let tries = 0
      const world = playedService((seen) =>
        isAnswer(seen) && tries++ < 8 ? { answer: 'network', acts: acts && tries === 1 } : null,
      )
      const { client, question, cases, clock, decide, outcome } = world
      clock.after(1_500, () => question('rc_c', 'Who?'))
      clock.after(600_000, () => decide('rc_c', 'approved'))
      let asks = 0
      const onFollowUp = () => `ACME ${++asks}`
      assert.equal(
        resultOf(await outcome(client.reviewCases.request(asked, { onFollowUp }))).approved,
        true,
      )
      assert.deepEqual(
        [asks, cases.get('rc_c')?.followUps],
        [1, [{ question: 'Who?', answer: 'ACME 1' }]],
      )
      // A read may tell first that the answer was heard.
      assert.ok(acts ? tries > 1 : tries === 9, `${tries} tries`)
    }
  })

  it('is asked again after a restart of the application, where it was not answered before', async () => {
    const { client, question, cases, clock, decide, outcome, surroundings } = playedService()
    const lost = new AbortController()
    clock.after(1_500, () => question('rc_c', 'Who?'))
    clock.after(9_000, () => lost.abort('the process ended'))
    const { asks, onFollowUp } = endless()
    const known = { ...asked, idempotencyKey: 'request-1' }
    await outcome(client.reviewCases.request(known, { onFollowUp, signal: lost.signal }))
    assert.deepEqual([asks.length, asks[0]?.signal.aborted], [1, true])
    const restarted = createClient({ ingestUrl, apiKey: key, surroundings })
    clock.after(60_000, () => decide('rc_c', 'approved'))
    const again = restarted.reviewCases.request(known, { onFollowUp: () => 'ACME' })
    assert.equal(resultOf(await outcome(again)).approved, true)
    assert.deepEqual(cases.get('rc_c')?.followUps, [{ question: 'Who?', answer: 'ACME' }])
    // The service shows the answer beside the presentation, which is still what was asked.
    assert.equal(resultOf(await outcome(restarted.reviewCases.request(known))).approved, true)
  })

  it('is asked once though the case moves on, and answered as the case is then', async () => {
    const { client, question, cases, change, clock, decide, outcome } = playedService()
    clock.after(1_500, () => question('rc_c', 'Who?'))
    clock.after(4_000, () => change('rc_c', { overdueAt: 'now' }))
    clock.after(60_000, () => decide('rc_c', 'approved'))
    let asks = 0
    const onFollowUp = () => {
      asks++
      return new Promise<string>((resolve) => clock.after(20_000, () => resolve('ACME')))
    }
    const done = await outcome(client.reviewCases.request(asked, { onFollowUp }))
    assert.equal(resultOf(done).approved, true)
    assert.deepEqual(
      [asks, cases.get('rc_c')?.followUps],
      [1, [{ question: 'Who?', answer: 'ACME' }]],
    )
  })

  it('does not keep the callback, a decision or the signal from being heard', async () => {
    for (const by of ['callback', 'decision', 'signal'] as const) {
      const { client, question, clock, decide, outcome } = playedService()
      const { asks, onFollowUp } = endless()
      const controller = new AbortController()
      clock.after(1_500, () => question('rc_c', 'Who?'))
      clock.after(30_000, () => {
        assert.deepEqual([asks.length, asks[0]?.signal.aborted], [1, false])
        if (by === 'callback') client.reviewCases.settle(calledBack)
        if (by === 'decision') decide('rc_c', 'rejected')
        if (by === 'signal') controller.abort('left')
      })
      const { signal } = controller
      const done = await outcome(client.reviewCases.request(asked, { onFollowUp, signal }))
      if (by === 'signal') assert.deepEqual(done, { error: 'left' })
      else assert.equal(resultOf(done).decision, 'rejected')
      if (by !== 'decision') assert.equal(clock.monotonic(), 30_000)
      assert.equal(asks[0]?.signal.aborted, true)
      assert.equal(clock.waiting(), 0)
    }
  })

  it('is not answered after a reassignment dropped it, and the next one is', async () => {
    const { client, question, change, cases, clock, decide, outcome, requests } = playedService()
    clock.after(1_500, () => question('rc_c', 'Who?'))
    clock.after(10_000, () => change('rc_c', { decision: null }))
    clock.after(60_000, () => question('rc_c', 'Why?'))
    clock.after(120_000, () => decide('rc_c', 'approved'))
    const signals: AbortSignal[] = []
    const onFollowUp = (text: string, _: unknown, signal: AbortSignal) => {
      signals.push(signal)
      if (text === 'Why?') return 'because'
      return new Promise<string>((resolve) => clock.after(40_000, () => resolve('ACME')))
    }
    const done = await outcome(client.reviewCases.request(asked, { onFollowUp }))
    assert.equal(resultOf(done).approved, true)
    assert.deepEqual(cases.get('rc_c')?.followUps, [
      { question: 'Who?', answer: null },
      { question: 'Why?', answer: 'because' },
    ])
    assert.equal(requests.filter(isAnswer).length, 1)
    assert.equal(signals[0]?.aborted, true)
  })

  it('is answered once where the service goes on to show it', async () => {
    const world = playedService((seen) =>
      isAnswer(seen)
        ? { answer: { status: 200, body: world.cases.get('rc_c') }, acts: false }
        : null,
    )
    const { client, question, clock, decide, outcome, requests } = world
    clock.after(1_500, () => question('rc_c', 'Who?'))
    clock.after(60_000, () => decide('rc_c', 'approved'))
    const done = await outcome(client.reviewCases.request(asked, { onFollowUp: () => 'ACME' }))
    assert.equal(resultOf(done).approved, true)
    assert.equal(requests.filter(isAnswer).length, 1)
  })

  it('whose answer comes when the case expired is told by the outcome', async () => {
    const { client, question, change, clock, outcome } = playedService()
    clock.after(1_500, () => question('rc_c', 'Who?'))
    const onFollowUp = () => {
      change('rc_c', { state: 'expired', decision: 'expired' })
      return 'ACME'
    }
    const done = await outcome(client.reviewCases.request(asked, { onFollowUp }))
    assert.equal(resultOf(done).decision, 'expired')
  })

  it('ends the wait where its answer is refused or fails', async () => {
    for (const [status, code] of [
      [400, 'invalid_request'],
      [409, 'invalid_transition'],
    ] as const) {
      const { client, question, clock, outcome, requests } = playedService((seen) =>
        isAnswer(seen) ? { answer: refusal(code, status), acts: false } : null,
      )
      clock.after(1_500, () => question('rc_c', 'Who?'))
      const done = await outcome(client.reviewCases.request(asked, { onFollowUp: () => 'ACME' }))
      assert.ok('error' in done && done.error instanceof ApiError, inspect(done))
      assert.equal(done.error.code, code)
      assert.equal(requests.filter(isAnswer).length, 1)
    }
    const { client, question, clock, outcome } = playedService()
    clock.after(1_500, () => question('rc_c', 'Who?'))
    const onFollowUp = () => {
      throw new Error('nobody knows')
    }
    const done = await outcome(client.reviewCases.request(asked, { onFollowUp }))
    assert.ok('error' in done && /nobody knows/.test(String(done.error)))
    assert.equal(clock.waiting(), 0)
  })
})
