import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews, type ReviewsOptions, type ToolCall } from '../index.ts'
import type { SpendOptions } from '../options.ts'
import { playedClient } from './played-client.ts'

const call: ToolCall = { sessionId: 's', callId: 'c', name: 'pay', input: { amount: 1_000 } }

/** A call of a class that has its members by getters. */
class OwnCall implements ToolCall {
  get sessionId() {
    return 's'
  }
  get callId() {
    return 'c'
  }
  get name() {
    return 'pay'
  }
  get input() {
    return { amount: 1_000 }
  }
}

/** Options of a class that has them by getters. */
class OwnOptions {
  readonly #given: SpendOptions
  constructor(given: SpendOptions) {
    this.#given = given
  }
  get signal() {
    return this.#given.signal
  }
  get beforeDeadline() {
    return this.#given.beforeDeadline
  }
  get checkpointId() {
    return this.#given.checkpointId
  }
}

/** As an application may hold its options. */
const shapes: Readonly<Record<string, (given: SpendOptions) => SpendOptions>> = {
  'members of its own': (given) => given,
  'members of a prototype': (given) => Object.create(given),
  'getters of a class': (given) => new OwnOptions(given) as SpendOptions,
}

/** Reviews whose reviewer approves each case as it is opened, with this deadline. */
function approving(given: Partial<ReviewsOptions> = {}, expiresAt = '2126-01-01T00:00:00.000Z') {
  const played = playedClient()
  const reviews = createReviews(played.client, {
    tools: { pay: {} },
    ...given,
    onOpen({ reviewCaseId, state }) {
      if (state !== 'open') return
      played.change(reviewCaseId, { expiresAt })
      played.decide(reviewCaseId, 'approved')
    },
  })
  const spent = () => [...played.cases.values()].some(({ continuation }) => continuation !== null)
  return { reviews, spent }
}

describe('options of a spent approval', () => {
  for (const [name, shaped] of Object.entries(shapes)) {
    it(`hold it to its deadline as ${name}`, async () => {
      const { reviews, spent } = approving({}, '2020-01-01T00:00:00.000Z')
      const given = shaped({ beforeDeadline: true })
      const { approved } = await reviews.spend(call, await reviews.ask(call), given)
      assert.deepEqual([approved, spent()], [false, false])
    })

    it(`end it by their signal as ${name}`, async () => {
      const { reviews, spent } = approving()
      const reason = new Error('left')
      const verdict = await reviews.ask(call)
      const given = shaped({ signal: AbortSignal.abort(reason) })
      await assert.rejects(reviews.spend(call, verdict, given), reason)
      assert.equal(spent(), false)
    })

    it(`hold its signature to their checkpoint as ${name}`, async () => {
      const fault = { code: 'not_signed', detail: 'another checkpoint' } as const
      const { reviews, spent } = approving({
        reviewers: {
          faultOf: async ({ checkpointId }) => (checkpointId === 'pay:c' ? null : fault),
        },
      })
      const verdict = await reviews.ask(call)
      const other = await reviews.spend(call, verdict, shaped({ checkpointId: 'another' }))
      assert.deepEqual([other.approved, spent()], [false, false])
    })
  }

  it('are refused where one is misspelt, and nothing is spent', async () => {
    const { reviews, spent } = approving()
    const given = { beforeDeadlin: true } as SpendOptions
    await assert.rejects(
      async () => reviews.spend(call, await reviews.ask(call), given),
      /got beforeDeadlin/,
    )
    const run = { isNeded: true } as object
    await assert.rejects(
      reviews.run(call, () => 'ran', run),
      /got isNeded/,
    )
    assert.equal(spent(), false)
  })
})

describe('policies of tools', () => {
  it('are refused where a name is misspelt, of which a check would be left out', () => {
    const { client } = playedClient()
    for (const policy of [
      { requestedby: () => 'ada' },
      { expiresInMS: 60_000 },
      Object.create({ When: () => true }),
      true,
      () => true,
    ] as object[])
      for (const [options, named] of [
        [{ tools: { look: {}, pay: policy } }, 'tools.pay'],
        ...(typeof policy === 'object' ? [[{ tools: {}, others: policy }, 'others'] as const] : []),
      ] as const)
        assert.throws(() => createReviews(client, options as ReviewsOptions), {
          name: 'TypeError',
          message: new RegExp(`^${named}: expected options of when, .*describe, got`),
        })
  })

  it('count as members of a class or a prototype, with what they are of', async () => {
    class Policy {
      readonly #least = 10
      when({ input }: ToolCall) {
        return Number(Reflect.get(Object(input), 'amount')) >= this.#least
      }
    }
    for (const policy of [new Policy(), { when: new Policy().when.bind(new Policy()) }])
      for (const [amount, needs] of [
        [9, false],
        [10, true],
      ] as const) {
        const { reviews } = approving({ tools: { pay: policy } })
        assert.equal(await reviews.needs({ ...call, input: { amount } }), needs)
      }
  })

  it('are found by a name that objects inherit, and are none where they are not given', async () => {
    const tools = { toString: undefined, __proto__: { pay: { when: () => false } } }
    const { reviews } = approving({ tools, others: 'run' } as unknown as ReviewsOptions)
    assert.equal(await reviews.needs({ ...call, name: 'toString' }), true)
    assert.equal(await reviews.needs(call), false)
  })
})

describe('a call by getters of a class, or of a prototype', () => {
  const policies: Readonly<Record<string, (call: ToolCall) => boolean>> = {
    name: ({ name }) => name === 'pay',
    session: ({ sessionId }) => sessionId === 's',
    arguments: ({ input }) => Number(Reflect.get(Object(input), 'amount')) > 10,
  }
  for (const [name, when] of Object.entries(policies))
    it(`is judged by its ${name}`, async () => {
      for (const given of [call, new OwnCall(), Object.create(call)]) {
        const { reviews } = approving({ tools: { pay: { when } } })
        assert.equal(await reviews.needs(given), true)
        assert.equal(await reviews.runUnasked(given, () => 'ran'), null)
      }
    })

  it('is asked for and runs as it is', async () => {
    for (const given of [new OwnCall(), Object.create(call)]) {
      const { reviews, spent } = approving()
      assert.deepEqual(await reviews.run(given, (_, input) => input), { amount: 1_000 })
      assert.equal(spent(), true)
    }
  })

  it('is judged by the name under which it was looked up', async () => {
    const names = ['look', 'pay', 'pay']
    const turning = {
      ...call,
      get name() {
        return names.shift() ?? 'pay'
      },
    }
    const when = ({ name }: ToolCall) => name !== 'look'
    const { reviews } = approving({ tools: { look: { when }, pay: {} } })
    assert.equal(await reviews.needs(turning), false)
    assert.deepEqual(names, ['pay', 'pay'])
  })

  it('has its ids where a guard finds them so', async () => {
    class Ids {
      get sessionId() {
        return 's'
      }
      get callId() {
        return 'c'
      }
    }
    const { reviews, spent } = approving()
    const pay = reviews.guard(
      'pay',
      () => 'ran',
      () => new Ids(),
    )
    assert.equal(await pay({ amount: 1 }), 'ran')
    assert.equal(spent(), true)
  })
})
