import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Client, createClient } from '@countersign/client'
import {
  createReviews,
  type Problem,
  type Reviews,
  type ReviewsOptions,
  type ToolCall,
} from '../index.ts'
import { entries, type Payment, type Play, type Scripted } from './entries.ts'
import { forged } from './forged.ts'
import { type Choice, memoryDisk, openWorld, type Shown, type World } from './world.ts'

const to = 'ACME'
const one: readonly Scripted[] = [{ callId: 'call_1', input: { to, amount: 5 } }]
const two: readonly Scripted[] = [...one, { callId: 'call_2', input: { to, amount: 7 } }]

/** Reviews of a process that ends while people look: cases are open, and nothing comes of them there. */
function hanging(reviews: Reviews): Reviews {
  const hang = async (call: ToolCall) => {
    await reviews.check(call)
    return new Promise<never>(() => {})
  }
  return {
    ...reviews,
    ask: hang,
    run: hang,
    guard:
      (name, _, of) =>
      (input, ...rest) =>
        hang({ ...of(input, ...rest), name, input }),
  }
}

describe('every entry, with the real packages and the real server', () => {
  let world: World
  let count = 0
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  /** An agent of its own session, with what it paid and what went wrong. */
  function playOf(
    calls: readonly Scripted[],
    options: Partial<ReviewsOptions> = {},
    client: Client = world.client,
  ) {
    const sessionId = `entry-${++count}`
    const paid: Payment[] = []
    const problems: Problem[] = []
    const all: ReviewsOptions = {
      tools: { transfer: {} },
      pollMs: [20, 100],
      onProblem: (problem) => problems.push(problem),
      ...options,
    }
    const play: Play = {
      reviews: createReviews(client, all),
      sessionId,
      calls,
      disk: memoryDisk(),
      pay: async (input) => {
        paid.push(input)
        return `paid ${input.amount}`
      },
    }
    return { play, paid, problems, all }
  }

  /** Runs an agent while a reviewer decides; resolves to what the model heard, and the session's cases. */
  async function played(name: string, play: Play, choose: (action: Shown, nth: number) => Choice) {
    const reviewer = world.review(play.sessionId, choose)
    try {
      const heard = (await entries[name]?.run(play)) ?? ''
      return { heard, cases: await world.casesOf(play.sessionId) }
    } finally {
      await reviewer.stop()
    }
  }

  const cases: Readonly<Record<string, (name: string) => Promise<void>>> = {
    'runs what was approved, and reports it': async (name) => {
      const { play, paid } = playOf(one)
      const { heard, cases } = await played(name, play, () => ({ decision: 'approved' }))
      assert.deepEqual(paid, [one[0]?.input])
      assert.match(heard, /paid 5/)
      assert.deepEqual(
        cases.map(({ continuation }) => continuation?.outcome),
        ['resumed'],
      )
    },
    'tells the model what a reviewer wrote': async (name) => {
      const { play, paid } = playOf(one)
      const comment = 'Ask for an invoice first.'
      const { heard } = await played(name, play, () => ({ decision: 'rejected', comment }))
      assert.deepEqual(paid, [])
      assert.match(heard, /Ask for an invoice first\. Do not make this call again/)
    },
    'tells that nobody decided': async (name) => {
      const { play, paid } = playOf(one, { tools: { transfer: { expiresInMs: 1_200 } } })
      const { heard } = await played(name, play, () => null)
      assert.deepEqual(paid, [])
      assert.match(heard, /Nobody decided before/)
    },
    'tells that the request was cancelled': async (name) => {
      const { play, paid } = playOf(one)
      const { heard } = await played(name, play, () => 'cancel')
      assert.deepEqual(paid, [])
      assert.match(heard, /was cancelled/)
    },
    'tells what a reviewer proposes': async (name) => {
      const { play, paid } = playOf(one)
      const response = { amount: 3 }
      const choice = { decision: 'response_submitted', response } as const
      const { heard } = await played(name, play, () => choice)
      assert.deepEqual(paid, [])
      assert.match(heard, /A reviewer proposes: .*amount.*3/)
    },
    'asks for all calls of a step at once, each for itself': async (name) => {
      const { play, paid } = playOf(two)
      let most = 0
      const { heard } = await played(name, play, ({ arguments: { amount } }, nth) => {
        most = Math.max(most, nth + 1)
        const isStepwise = entries[name]?.stepwise
        // Left open until both were seen, where both are asked for at once.
        if (!isStepwise && most < 2) return null
        return { decision: amount === 7 ? 'approved' : 'rejected' }
      })
      assert.deepEqual(paid, [two[1]?.input])
      assert.match(heard, /paid 7/)
      assert.match(heard, /Rejected by a reviewer/)
    },
    'finds its cases again after it was abandoned while people looked': async (name) => {
      const { play, all } = playOf(two)
      const dying = { ...play, reviews: hanging(createReviews(world.client, all)) }
      void entries[name]?.run(dying)
      await opened(play.sessionId, entries[name]?.stepwise ? 1 : 2)
      const { play: again, paid } = playOf(two)
      const resumed = { ...again, sessionId: play.sessionId, disk: play.disk }
      const { cases } = await played(name, resumed, () => ({ decision: 'approved' }))
      assert.equal(cases.length, 2)
      assert.equal(paid.length, 2)
    },
    'does not run again what a crash interrupted after the approval': async (name) => {
      const { play, all } = playOf(one)
      let begun = () => {}
      const isBegun = new Promise<void>((resolve) => {
        begun = resolve
      })
      const dying: Play = {
        ...play,
        pay: () => {
          begun()
          return new Promise<never>(() => {})
        },
      }
      const reviewer = world.review(play.sessionId, () => ({ decision: 'approved' }))
      void entries[name]?.run(dying)
      await isBegun
      await reviewer.stop()
      const paid: Payment[] = []
      const again: Play = {
        ...play,
        reviews: createReviews(createClient(world.told), all),
        pay: async (input) => {
          paid.push(input)
          return 'paid'
        },
      }
      const { heard, cases } = await played(name, again, () => null)
      assert.deepEqual([paid, cases.length], [[], 1])
      assert.match(heard, /not known whether it was done/)
    },
    'runs nothing for arguments that were changed after the approval': async (name) => {
      const { play, paid } = playOf(one)
      const input = { to, amount: 1 }
      const call = { sessionId: play.sessionId, callId: 'call_1', name: 'transfer', input }
      const reviewer = world.review(play.sessionId, () => ({ decision: 'approved' }))
      await play.reviews.ask(call)
      await reviewer.stop()
      // An interrupt has another id: there it is what acts that changes them.
      const alter = (asked: Payment) => ({ ...asked, amount: 500 })
      const { heard } = await played(name, { ...play, alter }, () => ({ decision: 'approved' }))
      assert.deepEqual(paid, [])
      assert.match(heard, /No reviewer could be asked \(idempotency_conflict\)/)
    },
    'asks where its policy throws': async (name) => {
      const when = () => {
        throw new Error('the database is away')
      }
      const { play, paid, problems } = playOf(one, { tools: { transfer: { when } } })
      const { cases } = await played(name, play, () => ({ decision: 'approved' }))
      assert.deepEqual([paid.length, cases.length], [1, 1])
      assert.ok(problems.some(({ code }) => code === 'when_failed'))
    },
    'waits while the service is away': async (name) => {
      const until = Date.now() + 10_000
      const fetching: typeof fetch = async (...request) => {
        if (Date.now() < until) throw new TypeError('fetch failed')
        return fetch(...request)
      }
      const client = createClient({ ...world.told, surroundings: { fetch: fetching } })
      const { play, paid } = playOf(one, {}, client)
      const { heard } = await played(name, play, () => ({ decision: 'approved' }))
      assert.deepEqual(paid, [one[0]?.input])
      assert.match(heard, /paid 5/)
    },
    'runs nothing twice from a history that is run again': async (name) => {
      const { play, paid } = playOf(one)
      await played(name, play, () => ({ decision: 'approved' }))
      // From the beginning, with the same ids: as a history that is posted once more.
      const again = { ...play, disk: memoryDisk() }
      const { cases } = await played(name, again, () => ({ decision: 'rejected' }))
      assert.equal(paid.length, 1)
      assert.equal(cases.filter(({ decision }) => decision === 'approved').length, 1)
    },
  }

  async function opened(sessionId: string, number: number): Promise<void> {
    while ((await world.casesOf(sessionId)).length < number)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }

  for (const [name] of Object.entries(entries))
    describe(name, { concurrency: true }, () => {
      for (const [title, holds] of Object.entries(cases)) it(title, () => holds(name))
    })

  for (const [name, run] of Object.entries(forged))
    it(`a forged approval runs nothing: ${name}`, async () => {
      const { play, paid } = playOf(one)
      const reviewer = world.review(play.sessionId, () => ({ decision: 'rejected' }))
      await run(play)
      await reviewer.stop()
      assert.deepEqual(paid, [])
      const cases = await world.casesOf(play.sessionId)
      assert.deepEqual(
        cases.map(({ decision }) => decision),
        ['rejected'],
      )
      const denying = playOf(one, { unasked: 'deny' })
      await run(denying.play)
      assert.deepEqual(denying.paid, [])
      assert.equal((await world.casesOf(denying.play.sessionId)).length, 0)
    })
})
