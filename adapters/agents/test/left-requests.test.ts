import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { approvalMiddleware } from '../ai-sdk.ts'
import { createReviews, type Reviews } from '../index.ts'
import { playedClient } from './played-client.ts'
import { secret, sessionId, type Told } from './played-provider.ts'

const made = ['1', '2'].map((nth) => ({
  type: 'tool-call' as const,
  toolCallId: `c${nth}`,
  toolName: 'mcp.pay',
  input: { amount: nth },
}))

/** A request that tells two approvals, of which the nth claim is the last thing before its client leaves. */
async function leftAt(nth: number, how: (reviews: Reviews) => Reviews) {
  const { withCalls, decide } = playedClient()
  const left = new AbortController()
  let claims = 0
  const client = withCalls(({ reportContinuation }) => ({
    async reportContinuation(report) {
      const each = ++claims
      // The claims come one after the other.
      if (each === 2) await setImmediate()
      const claimed = await reportContinuation(report)
      if (each === nth) left.abort(new Error('left'))
      return claimed
    },
  }))
  const reviews = createReviews(client, {
    tools: {},
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

/** That whoever leaves while approvals are claimed tells none, and the same request tells them all later. */
async function keepsApprovals(how: (reviews: Reviews) => Reviews): Promise<void> {
  for (const nth of [1, 2]) {
    const { told, left } = await leftAt(nth, how)
    await assert.rejects(told(left), /left/)
    assert.deepEqual(await told(), [true, true])
    assert.deepEqual(await told(), [false, false])
  }
}

describe('a request that is left while its approvals are claimed', () => {
  it('spends none of them', () => keepsApprovals((reviews) => reviews))

  it('would spend them where nobody looked after the claim, or not after that of the others', async () => {
    const mutants: readonly ((reviews: Reviews) => Reviews)[] = [
      (reviews) => ({
        ...reviews,
        run: (call, act, { claimed: _, ...how } = {}) => reviews.run(call, act, how),
      }),
      (reviews) => ({
        ...reviews,
        run: (call, act, how) => reviews.run(call, act, { ...how, claimed: async () => {} }),
      }),
    ]
    for (const mutant of mutants) await assert.rejects(keepsApprovals(mutant))
  })
})
