import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { SignatureCheck } from '@countersign/client'
import { approvalMiddleware } from '../ai-sdk.ts'
import { createReviews, type Reviews, type RunCallOptions } from '../index.ts'
import { playedClient } from './played-client.ts'
import { secret, sessionId, type Told } from './played-provider.ts'

const made = ['1', '2'].map((nth) => ({
  type: 'tool-call' as const,
  toolCallId: `c${nth}`,
  toolName: 'mcp.pay',
  input: { amount: nth },
}))

/** A request that tells two approvals, of which a claim or a check is the last thing before its client leaves. */
async function leftAt(moment: string, how: (reviews: Reviews) => Reviews) {
  const { withCalls, decide } = playedClient()
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
  const held = approvalMiddleware(how(reviews), { sessionId, secret })
  const asked = made.flatMap(({ input, ...call }) => [
    { ...call, input: JSON.stringify(input), providerExecuted: true },
    {
      type: 'tool-approval-request' as const,
      approvalId: `mcpr_${call.toolCallId}`,
      toolCallId: call.toolCallId,
    },
  ])
  const doGenerate = async () => ({ content: asked })
  const { content } = await held.wrapGenerate({ doGenerate, params: { prompt: [] } })
  const type = 'tool-approval-response' as const
  const responses = content.flatMap((part) =>
    'approvalId' in part ? [{ type, approvalId: part.approvalId, approved: true }] : [],
  )
  const prompt = [
    { role: 'assistant', content: made },
    { role: 'tool', content: responses },
  ]
  const told = async (abortSignal?: AbortSignal) => {
    const { prompt: given } = await held.transformParams({ params: { prompt, abortSignal } })
    return given.flatMap(({ role, content }) =>
      role === 'tool' ? (content as unknown as readonly Told[]).map((each) => each.approved) : [],
    )
  }
  return { told, left: left.signal }
}

const moments = ['claim 1', 'claim 2', 'check mcp.pay:c1', 'check mcp.pay:c2']
/** Of the three checks of a signature: as it is read, before its claim, and after that. */
const hung = [1, 2, 3].map((nth) => `hung check ${nth} mcp.pay:c1`)

/** That whoever leaves while approvals are claimed tells none, and the same request tells them all later. */
async function keepsApprovals(
  how: (reviews: Reviews) => Reviews,
  at: readonly string[] = moments,
): Promise<void> {
  for (const moment of at) {
    const { told, left } = await leftAt(moment, how)
    await assert.rejects(told(left), /left/)
    assert.deepEqual(await told(), [true, true])
    assert.deepEqual(await told(), [false, false])
  }
}

describe('a request that is left while its approvals are claimed', () => {
  it('spends none of them', () => keepsApprovals((reviews) => reviews))

  for (const moment of hung)
    it(`ends with it where a signature is never done: ${moment}`, () =>
      keepsApprovals((reviews) => reviews, [moment]))

  it('has them told, where it is made again at once', async () => {
    const { told, left } = await leftAt('claim under way', (reviews) => reviews)
    const again = new Promise((resolve) => {
      left.addEventListener('abort', () => resolve(told()), { once: true })
    })
    await assert.rejects(told(left), /left/)
    assert.deepEqual(await again, [true, true])
    assert.deepEqual(await told(), [false, false])
  })

  it('would spend them where nobody looked after the claims, or each looked by itself', async () => {
    const alone = async () => {}
    const mutants: readonly ((given: RunCallOptions) => RunCallOptions)[] = [
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
          run: (call, act, how = {}) => reviews.run(call, act, mutant(how)),
        })),
      )
  })
})
