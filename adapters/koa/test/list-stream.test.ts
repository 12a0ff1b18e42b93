import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type Pieces, RefusedError } from '@countersign/core'
import { StoreError, silentObserver } from '@countersign/core/ports'
import { seededRandom } from '@countersign/core/testing'
import Router from '@koa/router'
import { createApp } from '../index.ts'
import { gatheredBytes, streamWhole } from '../list-stream.ts'

/** The answer's document; of a refusal in the list null, of another status than 200 the problem. */
async function answerOf(pieces: Pieces<unknown>, status = 200): Promise<unknown> {
  const router = new Router()
  router.get('/', async (ctx) => {
    ctx.type = 'application/json'
    const reply = await streamWhole(ctx, 'items', pieces)
    if (reply.ok) ctx.body = reply.value.body
    else ctx.status = 403
  })
  const options = { random: seededRandom(1), observer: silentObserver }
  const answer = createApp(router, options).callback()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    assert.equal(response.status, status)
    if (status === 403) return null
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
    yield ['x'.repeat(gatheredBytes)]
    throw new Error('no disk')
  }
  await assert.rejects(answerOf(broken()))
})

test('a list that is longer than what is gathered reads as one page too', async () => {
  const long = 'x'.repeat(gatheredBytes - 100)
  for (const pieces of [of([long]), of([long], [long]), of([long, long], [1], [2])]) {
    const { items, pageSize } = (await answerOf(pieces)) as { items: unknown[]; pageSize: number }
    assert.equal(items.length, pageSize)
    assert.equal(items[0], long)
  }
})

test('what refuses the caller while a list is gathered is a refusal, and later cuts it', async () => {
  async function* refused(first: string): Pieces<unknown> {
    yield [first]
    throw new RefusedError({ code: 'forbidden', detail: 'no more' })
  }
  assert.equal(await answerOf(refused('x'), 403), null)
  await assert.rejects(answerOf(refused('x'.repeat(gatheredBytes))))
})

test('a list whose first piece can not be read is answered with an error, not cut', async () => {
  const broken = (error: Error): Pieces<unknown> => ({
    [Symbol.asyncIterator]: () => broken(error),
    next: () => Promise.reject(error),
  })
  const codeOf = async (error: Error, status: number) =>
    ((await answerOf(broken(error), status)) as Record<string, unknown>).code
  assert.equal(await codeOf(new Error('no disk'), 500), 'internal')
  assert.equal(await codeOf(new StoreError('io', 'no disk'), 503), 'unavailable')
})
