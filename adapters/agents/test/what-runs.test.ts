import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews, NotRun, type ReviewsOptions } from '../index.ts'
import { playedClient } from './played-client.ts'

const ids = { sessionId: 's', callId: 'c1' }

/** Reviews whose reviewer decides each case as it is opened. */
function reviewed(decision: 'approved' | 'rejected' | null, options: Partial<ReviewsOptions> = {}) {
  const played = playedClient()
  const onOpen: ReviewsOptions['onOpen'] = ({ reviewCaseId, state }) => {
    if (state === 'open' && decision) played.decide(reviewCaseId, decision)
  }
  const reviews = createReviews(played.client, { tools: { pay: {} }, onOpen, ...options })
  const ran: unknown[] = []
  const pay = (input: unknown) =>
    reviews.guard(
      'pay',
      (given: unknown) => ran.push(given),
      () => ids,
    )(input)
  return { ...played, reviews, ran, pay }
}

const hasCode = (code: NotRun['code']) => (error: unknown) =>
  error instanceof NotRun && error.code === code

describe('what runs is what was shown', () => {
  it('refuses input that is no plain JSON, and asks nobody', async () => {
    class Payment {
      readonly amount = 1_000_000
    }
    const circle: { self?: object } = {}
    circle.self = circle
    const inputs: readonly unknown[] = [
      new Map([['amount', 1_000_000]]),
      { amount: 1_000_000, toJSON: () => ({ amount: 1 }) },
      Object.create({ toJSON: () => ({ amount: 1 }) }),
      new Payment(),
      { at: new Date(0) },
      { amount: Number.NaN },
      { amount: 5n },
      [undefined],
      new Array(1),
      circle,
      '\ud800',
    ]
    for (const input of inputs) {
      const { pay, ran, cases, reviews } = reviewed('approved')
      await assert.rejects(pay(input), hasCode('refused'))
      assert.equal((await reviews.check({ ...ids, name: 'pay', input }))?.code, 'refused')
      const unasked = reviewed('approved', { tools: { pay: { when: () => false } } })
      await assert.rejects(unasked.pay(input), hasCode('refused'))
      assert.deepEqual([ran, unasked.ran, cases.size], [[], [], 0])
    }
  })

  it('runs a copy, without members that have no value', async () => {
    const { pay, ran, cases } = reviewed('approved')
    const input = { amount: 5, note: undefined, to: ['ACME'] }
    await pay(input)
    assert.deepEqual(ran, [{ amount: 5, to: ['ACME'] }])
    const shown = cases.get('rc_1')?.presentation
    assert.deepEqual(shown, { action: { tool: 'pay', arguments: ran[0] } })
    const unset = reviewed('approved')
    await unset.pay(undefined)
    assert.deepEqual(unset.ran, [null])
  })

  it('does not run what was changed while its policy was asked', async () => {
    const when = async ({ input }: { readonly input: unknown }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return (input as { amount: number }).amount > 100
    }
    const { pay, ran, cases } = reviewed('rejected', { tools: { pay: { when } } })
    const input = { amount: 1 }
    const paid = pay(input)
    input.amount = 1_000_000
    await assert.rejects(paid, hasCode('changed'))
    assert.deepEqual([ran, cases.size], [[], 0])
    await pay({ amount: 2 })
    assert.deepEqual(ran, [{ amount: 2 }])
  })
})
