import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DecisionFault, RequestedCase, SignatureCheck, WaitOptions } from '../index.ts'
import { asked, playedService, resultOf } from './played-service.ts'

/** A check that tells what it was given, and finds this. */
function checking(fault: DecisionFault | null = null) {
  const given: RequestedCase[] = []
  const reviewers: SignatureCheck = {
    faultOf: async (_, requested) => {
      given.push(requested)
      return fault
    },
  }
  return { given, reviewers }
}

describe('input that its caller changes meanwhile', () => {
  it('is asked as it was, where one object is filled anew for each request', async () => {
    const { client, cases, clock, decide, outcome } = playedService()
    const { given, reviewers } = checking()
    const ids = ['c1', 'c2', 'c3']
    clock.after(2_000, () => {
      for (const id of ids) decide(`rc_${id}`, 'approved')
    })
    const filled = { ...asked, checkpointId: '', presentation: { action: { amount: 0 } } }
    const waiting = ids.map((checkpointId, nth) => {
      filled.checkpointId = checkpointId
      filled.presentation.action.amount = nth + 1
      return client.reviewCases.request(filled, { reviewers })
    })
    const outcomes = resultOf(await outcome(Promise.all(waiting)))
    assert.deepEqual(
      outcomes.map((one) => one.checkpointId),
      ids,
    )
    const shown = ids.map((id) => cases.get(`rc_${id}`)?.presentation)
    const meant = [1, 2, 3].map((amount) => ({ action: { amount } }))
    assert.deepEqual(shown, meant)
    // Keys are digested on threads, so that any of them may be opened first.
    assert.deepEqual(
      Object.fromEntries(given.map((each) => [each.checkpointId, each.presentation])),
      Object.fromEntries(ids.map((id, nth) => [id, meant[nth]])),
    )
  })

  it('is verified as it was asked, where it is filled anew while a person decides', async () => {
    const { client, clock, decide, outcome } = playedService()
    const { given, reviewers } = checking()
    const filled = { ...asked, presentation: { action: 'pay', amount: '1000000 EUR' } }
    clock.after(1_000, () => {
      filled.presentation.amount = '1 EUR'
      Object.assign(filled, { sessionId: 'other', checkpointId: 'd', resumeToken: 'other' })
      decide('rc_c', 'approved')
    })
    resultOf(await outcome(client.reviewCases.request(filled, { reviewers })))
    const presentation = { action: 'pay', amount: '1000000 EUR' }
    assert.deepEqual(given, [
      { sessionId: 's', checkpointId: 'c', resumeToken: null, presentation },
    ])
  })

  it('is held to the signatures that were wanted when it was asked', async () => {
    const { client, clock, decide, outcome } = playedService()
    const { reviewers } = checking({ code: 'not_signed', detail: 'none' })
    const options: { reviewers?: SignatureCheck } = { reviewers }
    clock.after(1_000, () => {
      delete options.reviewers
      decide('rc_c', 'approved')
    })
    const done = await outcome(client.reviewCases.request(asked, options))
    assert.match(String('error' in done && done.error), /no pinned key signed/)
  })

  it('is held to signatures whose check is read once', async () => {
    const { client, clock, decide, outcome } = playedService()
    const { reviewers } = checking({ code: 'not_signed', detail: 'none' })
    let reads = 0
    const options: WaitOptions = {
      get reviewers() {
        // The second time there would be none.
        return (reads++ === 0 ? reviewers : undefined) as SignatureCheck
      },
    }
    clock.after(1_000, () => decide('rc_c', 'approved'))
    const done = await outcome(client.reviewCases.request(asked, options))
    assert.match(String('error' in done && done.error), /no pinned key signed/)
    assert.equal(reads, 1)
  })

  it('may have options of a class, and ones of other names that are undefined', async () => {
    const { client, clock, decide, outcome } = playedService()
    const seen: string[] = []
    class Wait {
      readonly #seen = seen
      onOpen({ reviewCaseId }: { readonly reviewCaseId: string }) {
        this.#seen.push(reviewCaseId)
      }
    }
    const options = Object.assign(new Wait(), { timeoutMs: undefined })
    clock.after(1_000, () => decide('rc_c', 'approved'))
    const { approved } = resultOf(await outcome(client.reviewCases.request(asked, options)))
    assert.deepEqual([approved, seen], [true, ['rc_c']])
  })

  it('is read as it was, where nothing has changed since', async () => {
    const { client } = playedService()
    const first = await client.reviewCases.open(asked)
    const second = await client.reviewCases.open({ ...asked, checkpointId: 'd' })
    const filled = { case: first }
    const read = client.reviewCases.read(filled)
    filled.case = second
    assert.equal(await read, first)
  })
})

describe('what can not be asked', () => {
  it('is refused as an opening is, and nothing is sent', async () => {
    const ring: Record<string, unknown> = {}
    ring.self = ring
    for (const presentation of [{ amount: 1n }, ring]) {
      const { client, requests } = playedService()
      const given = { ...asked, presentation }
      await assert.rejects(client.reviewCases.open(given), TypeError)
      await assert.rejects(client.reviewCases.request(given), TypeError)
      assert.equal(requests.length, 0)
    }
  })

  it('is a wait with an option that is left out silently', async () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ reviewers: null }, /reviewers as pinReviewers makes it, got null/],
      [{ reviewers: undefined }, /reviewers as pinReviewers makes it, got undefined/],
      [{ reviewers: {} }, /reviewers as pinReviewers makes it, got object/],
      [{ reviewer: checking().reviewers }, /options of .*reviewers, got reviewer/],
      [Object.create({ reviewers: null }), /got null/],
    ]
    for (const [options, why] of wrong) {
      const { client, requests } = playedService()
      await assert.rejects(client.reviewCases.request(asked, options as WaitOptions), (error) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, why)
        return true
      })
      assert.equal(requests.length, 0)
    }
  })
})
