import assert from 'node:assert/strict'
import {
  createReviews,
  type Problem,
  type Reviews,
  type ReviewsOptions,
  type ToolCall,
} from '@countersign/agents'
import { type Client, createClient } from '@countersign/client'
import type { Disk, Entry, Payment, Play, Scripted } from './play.ts'
import type { Choice, Shown, World } from './world.ts'

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
    check: hang,
    run: hang,
    verdictOf: async () => null,
    spend: () => new Promise<never>(() => {}),
    guard:
      (name, _, of) =>
      (input, ...rest) =>
        hang({ ...of(input, ...rest), name, input }),
  }
}

/** Leaves a run as a process that ended would: what it comes to, such as a timeout, is nobody's. */
function abandon(run: Promise<unknown>): void {
  run.catch(() => {})
}

let sessions = 0

/** An agent of its own session, with what it paid and what it met. */
export function playOf<D extends Disk>(
  {
    client,
    entry,
    disk,
  }: {
    readonly client: Client
    readonly entry: Pick<Entry, 'byContent'>
    readonly disk: D
  },
  calls: readonly Scripted[] = one,
  options: Partial<ReviewsOptions> = {},
) {
  const sessionId = `play-${process.pid}-${++sessions}`
  const paid: Payment[] = []
  const problems: Problem[] = []
  const all: ReviewsOptions = {
    tools: { transfer: {} },
    pollMs: [20, 100],
    identify: entry.byContent ? 'content' : 'call',
    onProblem: (problem) => problems.push(problem),
    ...options,
  }
  const play: Play<D> = {
    client,
    reviews: createReviews(client, all),
    sessionId,
    calls,
    disk,
    pay: async (input) => {
      paid.push(input)
      return `paid ${input.amount}`
    },
  }
  return { play, paid, problems, all }
}

/** The cases that hold of every way into a framework, by what each promises. */
export function agentCases<D extends Disk>(
  world: () => World,
  entry: Entry<D>,
  newDisk: () => D,
): Readonly<Record<string, () => Promise<void>>> {
  const playing = (
    calls: readonly Scripted[],
    options: Partial<ReviewsOptions> = {},
    client: Client = world().client,
  ) => playOf({ client, entry, disk: newDisk() }, calls, options)

  /** Runs an agent while a reviewer decides; resolves to what the model heard, and the session's cases. */
  async function played(play: Play<D>, choose: (action: Shown, nth: number) => Choice) {
    const reviewer = world().review(play.sessionId, choose)
    try {
      const heard = await entry.run(play)
      return { heard, cases: await world().casesOf(play.sessionId) }
    } finally {
      await reviewer.stop()
    }
  }

  return {
    'runs what was approved, and reports it': async () => {
      const { play, paid } = playing(one)
      const { heard, cases } = await played(play, () => ({ decision: 'approved' }))
      assert.deepEqual(paid, [one[0]?.input])
      assert.match(heard, /paid 5/)
      assert.deepEqual(
        cases.map(({ continuation }) => continuation?.outcome),
        ['resumed'],
      )
    },
    'tells the model what a reviewer wrote': async () => {
      const { play, paid } = playing(one)
      const comment = 'Ask for an invoice first.'
      const { heard } = await played(play, () => ({ decision: 'rejected', comment }))
      assert.deepEqual(paid, [])
      assert.match(heard, /Ask for an invoice first\. Do not make this call again/)
    },
    'tells that nobody decided': async () => {
      const { play, paid } = playing(one, { tools: { transfer: { expiresInMs: 4_000 } } })
      const { heard } = await played(play, () => null)
      assert.deepEqual(paid, [])
      assert.match(heard, /Nobody decided before/)
    },
    'tells that the request was cancelled': async () => {
      const { play, paid } = playing(one)
      const { heard } = await played(play, () => 'cancel')
      assert.deepEqual(paid, [])
      assert.match(heard, /was cancelled/)
    },
    'tells what a reviewer proposes': async () => {
      const { play, paid } = playing(one)
      const response = { amount: 3 }
      const choice = { decision: 'response_submitted', response } as const
      const { heard } = await played(play, () => choice)
      assert.deepEqual(paid, [])
      assert.match(heard, /A reviewer proposes: .*amount.*3/)
    },
    'asks for all calls of a step at once, each for itself': async () => {
      const { play, paid } = playing(two)
      let most = 0
      const { heard } = await played(play, ({ arguments: { amount } }, nth) => {
        most = Math.max(most, nth + 1)
        // Left open until both were seen, where both are asked for at once.
        if (!entry.stepwise && most < 2) return null
        return { decision: amount === 7 ? 'approved' : 'rejected' }
      })
      assert.deepEqual(paid, [two[1]?.input])
      assert.match(heard, /paid 7/)
      assert.match(heard, /Rejected by a reviewer/)
    },
    'finds its cases again after it was abandoned while people looked': async () => {
      const { play, all } = playing(two)
      const dying = { ...play, reviews: hanging(createReviews(world().client, all)) }
      abandon(entry.run(dying))
      await world().opened(play.sessionId, entry.stepwise ? 1 : 2)
      const { play: again, paid } = playing(two)
      const resumed = { ...again, sessionId: play.sessionId, disk: play.disk }
      const { cases } = await played(resumed, () => ({ decision: 'approved' }))
      assert.equal(cases.length, 2)
      assert.equal(paid.length, 2)
    },
    'runs once, though two processes go on with it at once': async () => {
      const { play, paid, all } = playing(one)
      const dying = { ...play, reviews: hanging(createReviews(world().client, all)) }
      abandon(entry.run(dying))
      await world().opened(play.sessionId, 1)
      const reviewer = world().review(play.sessionId, (_, nth) => ({
        decision: nth === 0 ? 'approved' : 'rejected',
      }))
      try {
        const other = { ...play, reviews: createReviews(createClient(world().told), all) }
        await Promise.all([entry.run(play), entry.run(other)])
      } finally {
        await reviewer.stop()
      }
      const cases = await world().casesOf(play.sessionId)
      assert.deepEqual(paid, [one[0]?.input])
      // By content, whoever comes second makes another call, unless both have one case.
      const most = entry.byContent ? 2 : 1
      assert.ok(cases.length === most || (entry.sharesCases && cases.length === 1))
    },
    'shows and runs arguments of the most that a request takes, and no more of them': async () => {
      for (const [length, runs] of [
        [900_000, 1],
        [1_100_000, 0],
      ] as const) {
        const long = [{ callId: 'call_1', input: { to: 'A'.repeat(length), amount: 5 } }]
        const { play, paid } = playing(long)
        const { heard, cases } = await played(play, () => ({ decision: 'approved' }))
        assert.deepEqual([paid.length, cases.length], [runs, runs])
        assert.ok(paid.every(({ to }) => to.length === length))
        assert.match(heard, runs ? /paid 5/ : /\(body_too_large\)/)
      }
    },
    'does not run again what a crash interrupted after the approval': async () => {
      const { play, all } = playing(one)
      let begun = () => {}
      const isBegun = new Promise<void>((resolve) => {
        begun = resolve
      })
      const dying: Play<D> = {
        ...play,
        pay: () => {
          begun()
          return new Promise<never>(() => {})
        },
      }
      const reviewer = world().review(play.sessionId, () => ({ decision: 'approved' }))
      abandon(entry.run(dying))
      await isBegun
      await reviewer.stop()
      const paid: Payment[] = []
      const again: Play<D> = {
        ...play,
        reviews: createReviews(createClient(world().told), all),
        pay: async (input) => {
          paid.push(input)
          return 'paid'
        },
      }
      const { heard, cases } = await played(again, () => ({ decision: 'rejected' }))
      // By content, an approval that was spent is that of another call.
      assert.deepEqual([paid, cases.length], [[], entry.byContent ? 2 : 1])
      assert.match(heard, entry.byContent ? /Rejected/ : /not known whether it was done/)
    },
    'runs nothing for arguments that were changed after the approval': async () => {
      const { play, paid } = playing(one)
      const input = { to, amount: 1 }
      const call = { sessionId: play.sessionId, callId: 'call_1', name: 'transfer', input }
      const reviewer = world().review(play.sessionId, () => ({ decision: 'approved' }))
      await play.reviews.ask(call)
      await reviewer.stop()
      // An interrupt has another id: there it is what acts that changes them.
      const alter = (asked: Payment) => ({ ...asked, amount: 500 })
      const decision = entry.byContent ? 'rejected' : 'approved'
      const { heard } = await played({ ...play, alter }, () => ({ decision }))
      assert.deepEqual(paid, [])
      assert.match(heard, entry.byContent ? /Rejected/ : /\(idempotency_conflict\)/)
    },
    'asks where its policy throws': async () => {
      const when = () => {
        throw new Error('the database is away')
      }
      const { play, paid, problems } = playing(one, { tools: { transfer: { when } } })
      const { cases } = await played(play, () => ({ decision: 'approved' }))
      assert.deepEqual([paid.length, cases.length], [1, 1])
      const isHeard = problems.some(({ code }) => code === 'when_failed')
      assert.equal(isHeard, entry.asksAlways === undefined)
    },
    'waits while the service is away': async () => {
      const until = Date.now() + 10_000
      const fetching: typeof fetch = async (...request) => {
        if (Date.now() < until) throw new TypeError('fetch failed')
        return fetch(...request)
      }
      const client = createClient({ ...world().told, surroundings: { fetch: fetching } })
      const { play, paid } = playing(one, {}, client)
      const { heard } = await played(play, () => ({ decision: 'approved' }))
      assert.deepEqual(paid, entry.deniesAway ? [] : [one[0]?.input])
      assert.match(heard, entry.deniesAway ? /No reviewer could be asked/ : /paid 5/)
    },
    'runs nothing twice from a history that is run again': async () => {
      const { play, paid } = playing(one)
      await played(play, () => ({ decision: 'approved' }))
      // From the beginning, with the same ids: as a history that is posted once more.
      const again = { ...play, disk: newDisk() }
      const { cases } = await played(again, () => ({ decision: 'rejected' }))
      assert.equal(paid.length, 1)
      assert.equal(cases.filter(({ decision }) => decision === 'approved').length, 1)
    },
  }
}
