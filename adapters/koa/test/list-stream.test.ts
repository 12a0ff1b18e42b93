import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Pieces } from '@countersign/core'
import { silentObserver } from '@countersign/core/ports'
import { seededRandom } from '@countersign/core/testing'
import Router from '@koa/router'
import { createApp } from '../index.ts'
import { streamWhole } from '../list-stream.ts'

async function answerOf(pieces: Pieces<unknown>): Promise<unknown> {
  const router = new Router()
  router.get('/', (ctx) => {
    ctx.type = 'application/json'
    ctx.body = streamWhole(ctx, 'items', pieces).body
  })
  const options = { random: seededRandom(1), observer: silentObserver }
  const answer = createApp(router, options).callback()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    return await response.json()
  } finally {
    server.close()
  }
}

async function* of(...pieces: readonly (readonly unknown[])[]) {
  yield* pieces
  return null
}

test('what is written piece by piece reads as one page that holds all', async () => {
  const paging = { page: 1, hasMore: false }
  assert.deepEqual(await answerOf(of()), { items: [], totalCount: 0, pageSize: 0, ...paging })
  assert.deepEqual(await answerOf(of([], [{ a: '\u2028"' }, 2], [], [3])), {
    items: [{ a: '\u2028"' }, 2, 3],
    totalCount: 3,
    pageSize: 3,
    ...paging,
  })
})

test('an answer whose list could not be read to its end is cut', async () => {
  async function* broken(): Pieces<unknown> {
    yield [1, 2]
    throw new Error('no disk')
  }
  await assert.rejects(answerOf(broken()))
})
