import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import {
  type ReviewRequest,
  readOptions,
  type SignatureCheck,
  untilAborted,
  type WaitOptions,
} from '../index.ts'
import { asked, playedService, resultOf } from './played-service.ts'

/** A check that no decision passes. */
const refusing: SignatureCheck = {
  faultOf: async () => ({ code: 'not_signed', detail: 'nobody signed' }),
}

/** What becomes of a request that is approved. */
async function approved(given: ReviewRequest, options: WaitOptions) {
  const { client, cases, clock, decide, outcome } = playedService()
  clock.after(1_000, () => decide('rc_c', 'approved'))
  return { done: await outcome(client.reviewCases.request(given, options)), cases }
}

class Asked {
  readonly sessionId = 's'
  readonly reasonCategory = 'high_risk_action'
  readonly presentation = { action: 'pay' }
  readonly #requestedBy = 'mem_agent'
  get checkpointId() {
    return 'c'
  }
  get requestedBy() {
    return this.#requestedBy
  }
  get expiresAt() {
    return '2126-01-01T00:00:00.000Z'
  }
  sent() {
    return 'no member of what is asked'
  }
}

describe('what is asked by an object of a class', () => {
  it('is sent with what its getters and its prototype tell', async () => {
    const { checkpointId, requestedBy, expiresAt, ...own } = new Asked()
    const all = { ...own, checkpointId, requestedBy, expiresAt }
    for (const given of [new Asked(), Object.create(all), new Proxy(all, {})]) {
      const { cases } = await approved(given, {})
      assert.equal(cases.get('rc_c')?.requestedBy, 'mem_agent')
      const { client, requests } = playedService()
      await client.reviewCases.open(given)
      assert.deepEqual(JSON.parse(JSON.stringify(requests[0]?.body)), {
        ...all,
        idempotencyKey: requests[0]?.body.idempotencyKey,
      })
    }
  })

  it('is verified by what they tell', async () => {
    const deadlines: unknown[] = []
    const reviewers: SignatureCheck = {
      async faultOf(_, __, { deadline }) {
        deadlines.push(deadline)
        return null
      },
    }
    resultOf((await approved(new Asked(), { reviewers })).done)
    assert.deepEqual(deadlines, [Date.parse('2126-01-01T00:00:00.000Z')])
  })
})

describe('options', () => {
  const withReviewers = (value: unknown) => ({ reviewers: value }) as object
  const wrong: Readonly<Record<string, readonly [object, RegExp]>> = {
    'a Map': [new Map([['reviewers', refusing]]), /got another kind of value/],
    'a list of entries': [[['reviewers', refusing]], /got another kind of value/],
    'a function': [Object.assign(() => {}, { reviewers: refusing }), /got another kind of value/],
    'a misspelt getter of a class': [
      new (class {
        get reviewer() {
          return refusing
        }
      })(),
      /got reviewer$/,
    ],
    'a misspelt method of a class': [
      new (class {
        onFollowup() {}
      })(),
      /got onFollowup$/,
    ],
    'a misspelt method of a parent class': [
      new (class extends class {
        onFollowup() {}
      } {})(),
      /got onFollowup$/,
    ],
    'a misspelt member that is not enumerable': [
      Object.defineProperty({}, 'reviewer', { value: refusing }),
      /got reviewer$/,
    ],
    'a misspelt member of a prototype': [
      Object.create(Object.defineProperty({}, 'reviewer', { value: refusing })),
      /got reviewer$/,
    ],
    'a Proxy that hides what can check nothing': [
      new Proxy(withReviewers(null), { has: () => false }),
      /pinReviewers makes it, got null/,
    ],
  }
  for (const [name, [options, why]] of Object.entries(wrong))
    it(`are refused as ${name}`, async () => {
      const { client, requests } = playedService()
      await assert.rejects(client.reviewCases.request(asked, options), (error) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, why)
        return true
      })
      assert.equal(requests.length, 0)
    })

  class OfClass {
    readonly isMade = true
    static readonly #code = 'not_signed'
    static async faultOf() {
      return { code: OfClass.#code, detail: 'nobody signed' } as const
    }
  }
  const checks: Readonly<Record<string, object>> = {
    'a class': OfClass,
    'a function with a member': Object.assign(() => {}, refusing),
    'an object behind a Proxy without names': new Proxy(refusing, { has: () => false }),
  }
  for (const [name, reviewers] of Object.entries(checks))
    it(`check signatures by ${name}`, async () => {
      for (const options of [withReviewers(reviewers), Object.create(withReviewers(reviewers))]) {
        const { done } = await approved(asked, options)
        assert.match(String('error' in done && done.error), /no pinned key signed/)
      }
    })

  it('may be an object with methods, of a class or of another realm', () => {
    class Named {
      readonly #name = 'a'
      name() {
        return this.#name
      }
      toString() {
        return this.#name
      }
    }
    const { name } = readOptions(new Named(), { name: true } as never)
    assert.equal(name(), 'a')
    assert.deepEqual(readOptions(Object.create(null), { name: true } as never), {})
  })
})

describe('untilAborted', () => {
  it('leaves one signal to any number of works, and listens to it no longer than they last', async () => {
    const { signal } = new AbortController()
    const ends: (() => void)[] = []
    const works = Array.from({ length: 20 }, () =>
      untilAborted(signal, () => new Promise<void>((resolve) => ends.push(resolve))),
    )
    assert.ok(getEventListeners(signal, 'abort').length <= 1)
    for (const end of ends) end()
    await Promise.all(works)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  it('ends all of them with its reason', async () => {
    const left = new AbortController()
    const works = [1, 2].map(() => untilAborted(left.signal, () => new Promise(() => {})))
    const reason = new Error('left')
    left.abort(reason)
    for (const work of works) await assert.rejects(work, reason)
    await assert.rejects(
      untilAborted(left.signal, async () => {}),
      reason,
    )
  })
})
