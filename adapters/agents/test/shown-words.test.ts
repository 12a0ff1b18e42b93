import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CaseAnswer, outcomeOfCase } from '@countersign/client'
import { createReviews, type Description, NotRun } from '../index.ts'
import { callVerdictOf } from '../verdict.ts'
import { playedClient } from './played-client.ts'

const call = { sessionId: 's', callId: 'c1', name: 'pay', input: { amount: 5 } }
const ran = () => assert.fail('ran')

/** A call of `pay` in these words. */
const saying = (words: Description) => ({ tools: { pay: { describe: () => words } } })

/** What people saw beside the action when they approved it. */
const seen: Description = { title: 'A payment', summary: 'To ACME', before: 1, after: 2 }
const others: Readonly<Record<string, Description>> = {
  none: {},
  'another title': { ...seen, title: 'Asked for by the agent itself' },
  'another summary': { ...seen, summary: 'To Mallory' },
  'another difference': { ...seen, before: 0 },
  'a response': { ...seen, respond: { schema: {} } },
}

async function codeOf(done: Promise<unknown>) {
  const error = await done.catch((reason: unknown) => reason)
  return error instanceof NotRun ? error.code : error
}

/** The case of a call that was approved in the words of `seen`. */
async function approved() {
  const played = playedClient()
  await createReviews(played.client, saying(seen)).check(call)
  played.decide('rc_1', 'approved')
  return played
}

describe('an approval', () => {
  for (const [what, words] of Object.entries(others))
    it(`runs nothing that is described otherwise: ${what}`, async () => {
      const { client, cases } = await approved()
      const reviews = createReviews(client, { ...saying(words), unasked: 'deny' })
      assert.equal(await codeOf(reviews.run(call, ran)), 'refused')
      const [review = assert.fail('no case')] = [...cases.values()]
      assert.equal((await reviews.verdictOf(call, review))?.code, 'changed')
      // By whatever way the verdict came.
      const spent = await reviews.spend(call, callVerdictOf(review, 'tell'))
      assert.deepEqual([spent.code, cases.get('rc_1')?.continuation], ['changed', null])
      const same = createReviews(client, saying(seen))
      assert.equal(await same.run(call, () => 'ran'), 'ran')
      assert.equal(cases.size, 1)
    })

  it('runs what is described as it was, questions that were answered since beside it', async () => {
    const { client, change, cases } = await approved()
    const { presentation } = cases.get('rc_1') ?? {}
    const followUps = [{ question: 'For what?', answer: 'Rent' }]
    change('rc_1', { presentation: { ...presentation, followUps } } as Partial<CaseAnswer>)
    assert.equal(await createReviews(client, saying(seen)).run(call, () => 'ran'), 'ran')
  })

  it('that was spent in other words is no call to ask for once more, though its key is forgotten', async () => {
    const { client, cases, forget } = await approved()
    await createReviews(client, saying(seen)).run(call, () => 'ran')
    forget()
    assert.equal(await codeOf(createReviews(client, saying({})).run(call, ran)), 'changed')
    assert.equal(cases.size, 1)
  })

  it('that was not spent, and whose key is forgotten, has people asked about the other words', async () => {
    const { client, cases, decide, forget } = await approved()
    forget()
    const reviews = createReviews(client, saying({}))
    assert.equal(await reviews.check(call), null)
    assert.equal(cases.size, 2)
    decide('rc_2', 'rejected')
    assert.equal(await codeOf(reviews.run(call, ran)), 'rejected')
  })

  it('runs nothing whose words can not be had', async () => {
    const { client, cases } = await approved()
    const describe = () => {
      throw new Error('the database is away')
    }
    const codes: string[] = []
    const reviews = createReviews(client, {
      tools: { pay: { describe } },
      onProblem: ({ code }) => codes.push(code),
    })
    const [review = assert.fail('no case')] = [...cases.values()]
    assert.equal(outcomeOfCase(review).approved, true)
    assert.equal((await reviews.verdictOf(call, review))?.code, 'changed')
    assert.deepEqual(codes, ['not_asked'])
  })
})
