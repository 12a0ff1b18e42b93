import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { SignatureCheck } from '@countersign/client'
import { createReviews, NotRun, type Reviews, type SpendOptions } from '../index.ts'
import { resolveInterruptions } from '../openai.ts'
import { playedClient } from './played-client.ts'

/** A run that stopped for two calls without guards, of which a claim or a check is the last thing before it is left. */
function leftAt(moment: string, how: (reviews: Reviews) => Reviews) {
  const { withCalls, decide, cases } = playedClient()
  const left = new AbortController()
  let [claims, answered] = [0, 0]
  const checks = new Map<string, number>()
  const client = withCalls(({ reportContinuation }) => ({
    async reportContinuation(report) {
      const each = ++claims
      // The claims come one after the other.
      if (each === 2) await setImmediate()
      const claimed = await reportContinuation(report)
      answered++
      if (moment === `claim ${each}`) left.abort(new Error('left'))
      if (moment === 'claim under way' && each === 1) {
        left.abort(new Error('left'))
        // It is answered long after.
        for (let turn = 0; turn < 30; turn++) await setImmediate()
      }
      return claimed
    },
  }))
  const reviewers: SignatureCheck = {
    async faultOf({ checkpointId }) {
      const nth = (checks.get(checkpointId) ?? 0) + 1
      checks.set(checkpointId, nth)
      if (moment === `hung check ${nth} ${checkpointId}`) {
        void setImmediate().then(() => left.abort(new Error('left')))
        return new Promise(() => {})
      }
      if (answered < 2 || moment !== `check ${checkpointId}`) return null
      // The other's signature was checked by then.
      for (let turn = 0; turn < 5; turn++) await setImmediate()
      left.abort(new Error('left'))
      return null
    },
  }
  const reviews = createReviews(client, {
    tools: {},
    reviewers,
    onOpen: ({ reviewCaseId, state }) => {
      if (state === 'open') decide(reviewCaseId, 'approved')
    },
  })
  const items = ['1', '2'].map((each) => ({
    name: 'pay',
    arguments: `{"amount":${each}}`,
    rawItem: { type: 'function_call', callId: `c${each}`, name: 'pay' },
  }))
  const resolved = async (signal?: AbortSignal) => {
    const told: boolean[] = []
    const state = {
      getInterruptions: () => items,
      approve: () => void told.push(true),
      reject: () => void told.push(false),
    }
    const asked = { sessionId: 's', parameters: {}, unguarded: ['pay'], signal }
    await resolveInterruptions(how(reviews), state, asked)
    return told
  }
  return { resolved, left: left.signal, cases }
}

const moments = ['claim 1', 'claim 2', 'check pay:c1', 'check pay:c2']
/** Of the three checks of a signature: as it is read, before its claim, and after that. */
const hung = [1, 2, 3].map((nth) => `hung check ${nth} pay:c1`)

/** That whoever leaves while approvals are claimed has none in the state, and the same state has them all later. */
async function keepsApprovals(
  how: (reviews: Reviews) => Reviews,
  at: readonly string[] = moments,
): Promise<void> {
  for (const moment of at) {
    const { resolved, left, cases } = leftAt(moment, how)
    await assert.rejects(resolved(left), /left/)
    assert.deepEqual(await resolved(), [true, true])
    assert.deepEqual(await resolved(), [false, false])
    assert.equal(cases.size, 2)
  }
}

describe('a run that is left while approvals of its calls are claimed', () => {
  it('spends none of them', () => keepsApprovals((reviews) => reviews))

  for (const moment of hung)
    it(`ends with it where a signature is never done: ${moment}`, () =>
      keepsApprovals((reviews) => reviews, [moment]))

  it('has them told, where it is made again at once', async () => {
    const { resolved, left } = leftAt('claim under way', (reviews) => reviews)
    const again = new Promise((resolve) => {
      left.addEventListener('abort', () => resolve(resolved()), { once: true })
    })
    await assert.rejects(resolved(left), /left/)
    assert.deepEqual(await again, [true, true])
    assert.deepEqual(await resolved(), [false, false])
  })

  it('keeps the approval that one of two had claimed, whichever of them is told last', async () => {
    const { client, decide } = playedClient()
    const checks: (() => void)[] = []
    let isHeld = true
    const reviewers: SignatureCheck = {
      faultOf: () =>
        isHeld
          ? new Promise((resolve) => void checks.push(() => resolve(null)))
          : Promise.resolve(null),
    }
    const waiting = async (count: number) => {
      for (let turn = 0; checks.length < count; turn++) {
        assert.ok(turn < 1_000, `expected ${count} checks under way, got ${checks.length}`)
        await setImmediate()
      }
    }
    const reviews = createReviews(client, {
      tools: { pay: {} },
      reviewers,
      onOpen: ({ reviewCaseId, state }) => {
        if (state === 'open') decide(reviewCaseId, 'approved')
      },
    })
    const left = new AbortController()
    let runs = 0
    const call = { sessionId: 's', callId: 'c', name: 'pay', input: { amount: 1 } }
    const run = (signal?: AbortSignal) => reviews.run(call, () => ++runs, signal ? { signal } : {})
    const [first, second] = [run(left.signal), run(left.signal)]
    // Both read the case as nobody's; the first is checked, before its claim too, and the second after that.
    for (const next of ['shift', 'pop', 'shift'] as const) {
      await waiting(2)
      checks[next]()?.()
    }
    await waiting(2)
    left.abort(new Error('left'))
    await assert.rejects(first, /left/)
    await assert.rejects(second, /left/)
    isHeld = false
    assert.equal(await run(), 1)
    await assert.rejects(run(), NotRun)
    assert.equal(runs, 1)
  })

  it('would spend one where none waited for the others, or each looked by itself who left', async () => {
    const alone = async () => {}
    const mutants: readonly ((given: SpendOptions) => SpendOptions)[] = [
      ({ together: _, ...how }) => how,
      (how) => ({ ...how, together: { claimed: alone, checked: alone } }),
      (how) => ({
        ...how,
        together: {
          claimed: async () => how.together?.claimed(),
          checked: async () => how.signal?.throwIfAborted(),
        },
      }),
    ]
    for (const mutant of mutants)
      await assert.rejects(
        keepsApprovals((reviews) => ({
          ...reviews,
          spend: (call, verdict, how = {}) => reviews.spend(call, verdict, mutant(how)),
        })),
      )
  })
})
