import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews, NotRun, type ReviewsOptions } from '../index.ts'
import { playedClient } from './played-client.ts'

const schema = {
  type: 'object',
  properties: {
    amount: { type: 'integer', minimum: 1, maximum: 9 },
    to: { enum: ['ACME', 'Initech'] },
    fast: { type: 'boolean' },
  },
}
const respond = { schema }
type Input = Readonly<Record<string, unknown>>
/** What a reviewer does with the nth case. */
type Act = 'approved' | 'rejected' | { readonly response: unknown }

/** A guarded call of `pay`, with reviewers who act on each case as it is opened. */
function reviewed(acts: readonly Act[], options: Partial<ReviewsOptions> = {}) {
  const { client, cases, decide } = playedClient()
  const decided = new Set<string>()
  const all: ReviewsOptions = {
    tools: { pay: { describe: () => ({ respond, title: 'A payment' }) } },
    edits: 'ask',
    onOpen: ({ reviewCaseId }) => {
      const act = acts[decided.size]
      if (decided.has(reviewCaseId) || !act) return
      decided.add(reviewCaseId)
      if (typeof act === 'string') decide(reviewCaseId, act)
      else decide(reviewCaseId, 'response_submitted', { response: act.response } as object)
    },
    ...options,
  }
  const ran: Input[] = []
  const pay = (callId = 'c1', input: Input = { amount: 5, to: 'ACME' }) =>
    createReviews(client, all)
      .guard(
        'pay',
        (given: Input) => ran.push(given),
        () => ({ sessionId: 's', callId }),
      )(input)
      .catch((error: unknown) => {
        if (error instanceof NotRun) return error
        throw error
      })
  return { client, cases, pay, ran, all }
}

describe('edits', () => {
  it('run what a reviewer made of a call, once it was approved, and once', async () => {
    const { cases, pay, ran } = reviewed([{ response: { amount: 3 } }, 'approved'])
    await pay()
    assert.deepEqual(ran, [{ amount: 3, to: 'ACME' }])
    const [first, second] = [...cases.values()]
    assert.deepEqual(second?.presentation, {
      action: { tool: 'pay', arguments: { amount: 3, to: 'ACME' } },
      before: { amount: 5, to: 'ACME' },
      after: { amount: 3, to: 'ACME' },
      respond,
      supersedes: { reviewCaseId: 'rc_1', presentationDigest: first?.presentationDigest },
      title: 'A payment',
    })
    assert.equal(second?.checkpoint.checkpointId, 'pay:c1:edit-2')
    const ends = [first, second].map((each) => each?.continuation?.outcome)
    assert.deepEqual(ends, ['superseded', 'resumed'])
    // From another process, with the same call.
    assert.equal(((await pay()) as NotRun).code, 'spent')
    assert.deepEqual([ran.length, cases.size], [1, 2])
  })

  it('may be changed again, or rejected', async () => {
    const again = reviewed([
      { response: { amount: 3 } },
      { response: { to: 'Initech' } },
      'approved',
    ])
    await again.pay()
    assert.deepEqual(again.ran, [{ amount: 3, to: 'Initech' }])
    const rejected = reviewed([{ response: { amount: 3 } }, 'rejected'])
    assert.equal(((await rejected.pay()) as NotRun).code, 'rejected')
    assert.deepEqual(rejected.ran, [])
  })

  it('are of a call by its content as well, and each approval is spent once', async () => {
    const acts = [{ response: { amount: 3 } }, 'approved', 'approved'] as const
    const { cases, pay, ran } = reviewed(acts, { identify: 'content' })
    await pay('x')
    await pay('y')
    assert.deepEqual([ran.length, cases.size], [2, 3])
  })

  it('are told alone where the response is not what was asked for', async () => {
    const responses: readonly unknown[] = [
      ...[null, 'less', 3, [], {}],
      ...[
        { amount: '3' },
        { amount: 3.5 },
        { amount: 10 },
        { amount: 0 },
        { amount: 3, iban: 'x' },
      ],
      ...[{ to: 'Mallory' }, { fast: 'true' }, { constructor: 1 }],
    ]
    for (const response of responses) {
      const { cases, pay, ran } = reviewed([{ response }, 'approved'])
      const { code, message } = (await pay()) as NotRun
      assert.deepEqual([code, cases.size, ran], ['response_submitted', 1, []])
      assert.match(message, /A reviewer proposes/)
    }
    const required = { ...respond, schema: { ...schema, required: ['to'] } }
    const unasked = reviewed([{ response: { amount: 3 } }, 'approved'], { tools: { pay: {} } })
    const partly = reviewed([{ response: { amount: 3 } }, 'approved'], {
      tools: { pay: { describe: () => ({ respond: required }) } },
    })
    const told = reviewed([{ response: { amount: 3 } }, 'approved'], { edits: 'tell' })
    for (const { pay, cases } of [unasked, partly, told]) {
      assert.equal(((await pay()) as NotRun).code, 'response_submitted')
      assert.equal(cases.size, 1)
    }
  })

  it('are told alone where the action can not be changed', async () => {
    const { client, cases, all } = reviewed([{ response: { amount: 3 } }, 'approved'])
    const call = { sessionId: 's', callId: 'c1', name: 'pay', input: { amount: 5 } }
    const ran = createReviews(client, all).run(call, () => 'paid', { edits: 'tell' })
    await assert.rejects(ran, { name: 'NotRun', code: 'response_submitted' })
    assert.deepEqual(
      [...cases.values()].map(({ continuation }) => continuation?.outcome),
      ['terminated'],
    )
  })

  it('approve nothing for a framework that would run the call as it was', async () => {
    const { client, all } = reviewed([{ response: { amount: 3 } }, 'approved'])
    const call = { sessionId: 's', callId: 'c1', name: 'pay', input: { amount: 5 } }
    const { approved, code } = await createReviews(client, all).ask(call)
    assert.deepEqual([approved, code], [false, 'response_submitted'])
  })
})
