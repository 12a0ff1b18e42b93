import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReviews, type ReviewsOptions } from '@countersign/agents'
import type { SignatureCheck } from '@countersign/client'
import { approvalServer } from '../approval-server.ts'
import { type ApprovalHandlerOptions, approvalHandler } from '../http.ts'
import { oneCase } from './one-case.ts'
import { post } from './post.ts'

/** A check that no decision passes; how often it was asked. */
function refusing() {
  let checks = 0
  const reviewers: SignatureCheck = {
    async faultOf() {
      checks++
      return { code: 'not_signed', detail: 'nobody signed' }
    },
  }
  return { reviewers, checks: () => checks }
}

const hosts = ['mcp.example.com']
const asked = { name: 'ask_for_approval', arguments: { action: 'pay', key: 'k' } }

/** Options as an application may hold them, with these reviewers. */
const shapes: Readonly<Record<string, (reviewers: SignatureCheck) => ApprovalHandlerOptions>> = {
  'members of its own': (reviewers) => ({
    hosts,
    reviewers,
    authorize: async () => ({ sessionId: 's' }),
  }),
  'getters and methods of a class': (reviewers) => {
    class Settings {
      readonly #sessionId = 's'
      get hosts() {
        return hosts
      }
      get reviewers() {
        return reviewers
      }
      async authorize() {
        return { sessionId: this.#sessionId }
      }
    }
    return new Settings()
  },
  'members of a prototype': (reviewers) => {
    const own = { hosts, authorize: async () => ({ sessionId: 's' }) }
    return Object.assign(Object.create({ reviewers }), own)
  },
  'members that are not enumerable': (reviewers) => {
    const own = { hosts, authorize: async () => ({ sessionId: 's' }) }
    return Object.defineProperty(own, 'reviewers', { value: reviewers })
  },
}

describe('reviewers in the options of approvalHandler', () => {
  for (const [name, shaped] of Object.entries(shapes))
    it(`count as ${name}`, async () => {
      const { client, decide, review } = oneCase()
      const { reviewers, checks } = refusing()
      const handle = approvalHandler(client, shaped(reviewers))
      const { taskId } = (await post(handle, 'tools/call', asked)).result
      decide('approved')
      const { result } = await post(handle, 'tasks/get', { taskId })
      assert.match(JSON.stringify(result), /decision_not_signed/)
      assert.ok(checks() > 0)
      assert.equal(review().continuation, null)
    })

  it('are refused when it is made, where they can check nothing or are misspelt', () => {
    const { client } = oneCase()
    const { reviewers } = refusing()
    const own = { hosts, authorize: async () => ({ sessionId: 's' }) }
    for (const [given, why] of [
      [{ reviewers: null }, /pinReviewers makes it, got null/],
      [{ reviewers: undefined }, /pinReviewers makes it, got undefined/],
      [{ reviewer: reviewers }, /options of .*reviewers.*, got reviewer/],
    ] as const) {
      const options = { ...own, ...given } as unknown as ApprovalHandlerOptions
      assert.throws(() => approvalHandler(client, options), { name: 'TypeError', message: why })
      const serving = { sessionId: 's', ...given } as never
      assert.throws(() => approvalServer(client, serving), { name: 'TypeError', message: why })
    }
  })

  it('are read once, wherever they are given', () => {
    const { client } = oneCase()
    const { reviewers } = refusing()
    const make: readonly ((options: never) => unknown)[] = [
      (options) => approvalHandler(client, options),
      (options) => approvalServer(client, options),
      (options) => createReviews(client, options),
    ]
    for (const [nth, of] of make.entries()) {
      let reads = 0
      const options: Pick<ReviewsOptions, 'reviewers'> = {
        get reviewers() {
          reads++
          return reviewers
        },
      }
      const others = [{ hosts, authorize: async () => null }, { sessionId: 's' }, { tools: {} }]
      of(Object.assign(Object.create(options), others[nth]) as never)
      assert.equal(reads, 1)
    }
  })
})
