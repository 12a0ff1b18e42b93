import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createBodyRoom } from '../body-room.ts'
import { bodyMs, chunkLimit, readBody } from '../read-body.ts'

const limit = 64

/** A request whose chunks are overwritten once they have been handed over: what a reader keeps of them is lost. */
function requestOf(chunks: readonly Uint8Array[]): IncomingMessage {
  const request = new Readable({ read() {} })
  const emit = request.emit.bind(request)
  request.emit = (name: string | symbol, ...args: unknown[]) => {
    const heard = emit(name, ...args)
    if (name === 'data' && args[0] instanceof Uint8Array) args[0].fill(0xee)
    return heard
  }
  for (const chunk of chunks) request.push(Buffer.from(chunk))
  request.push(null)
  return request as IncomingMessage
}

const chunked = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 12 })

describe('a body', () => {
  test('is read whole however it is cut, and no chunk of it is kept', async () => {
    await fc.assert(
      fc.asyncProperty(chunked, async (chunks) => {
        const sent = Buffer.concat(chunks)
        const body = await readBody(requestOf(chunks), limit)
        if (sent.length > limit) assert.deepEqual(body, { ok: false, why: 'too_large' })
        else assert.deepEqual(body.ok && Buffer.from(body.bytes), sent)
      }),
    )
  })

  test('of exactly the limit is read, and one byte more is not', async () => {
    const bytes = (count: number) => Array.from({ length: count }, () => Uint8Array.of(1))
    assert.equal((await readBody(requestOf(bytes(limit)), limit)).ok, true)
    assert.equal((await readBody(requestOf(bytes(limit + 1)), limit)).ok, false)
  })

  test('in more chunks than are counted is not read on, however small it is', async () => {
    const dripped = (count: number) => Array.from({ length: count }, () => Uint8Array.of(1))
    const large = 1024 * 1024
    assert.equal((await readBody(requestOf(dripped(chunkLimit)), large)).ok, true)
    const why = await readBody(requestOf(dripped(chunkLimit + 1)), large)
    assert.deepEqual(why, { ok: false, why: 'too_many_chunks' })
  })

  test('that breaks off is told, before the reading began or after', async () => {
    const broken = { ok: false, why: 'broken_off' }
    const late = requestOf([])
    late.destroy()
    assert.deepEqual(await readBody(late, limit), broken)
    const early = new Readable({ read() {} })
    early.push(Buffer.from('x'))
    const reading = readBody(early as IncomingMessage, limit)
    early.destroy(new Error('reset'))
    assert.deepEqual(await reading, broken)
  })
})

const mebibyte = 1024 * 1024

/** A request whose body has come this far and does not end. */
function unfinished(bytes: number): IncomingMessage {
  const request = new Readable({ read() {} })
  request.push(Buffer.alloc(bytes))
  return request as IncomingMessage
}

describe('unfinished bodies', () => {
  test('of one caller, and of all, hold so much; what ends gives its room back', async () => {
    const room = createBodyRoom({ mostBytes: 4 * mebibyte, perCaller: 2 * mebibyte })
    const noRoom = { ok: false, why: 'no_room' }
    const open: IncomingMessage[] = []
    const begin = (caller: string) => {
      const request = unfinished(mebibyte)
      open.push(request)
      return readBody(request, mebibyte, room.open(caller))
    }
    const held = [begin('a'), begin('a')]
    assert.deepEqual(await begin('a'), noRoom)
    held.push(begin('b'), begin('b'))
    assert.deepEqual(await begin('c'), noRoom)
    open[0]?.push(null)
    assert.equal((await held[0])?.ok, true)
    held.push(begin('c'))
    assert.deepEqual(await begin('d'), noRoom)
    for (const request of open) request.destroy()
    await Promise.all(held)
    const share = room.open('a')
    assert.equal(share.holds(2 * mebibyte + 1), false)
    assert.equal(share.holds(2 * mebibyte), true)
  })

  test('end after their time and give their room back', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const room = createBodyRoom({ perCaller: 8_192 })
    const slow = readBody(unfinished(1), limit, room.open('a'))
    t.mock.timers.tick(bodyMs)
    assert.deepEqual(await slow, { ok: false, why: 'too_slow' })
    assert.equal(room.open('a').holds(8_192), true)
  })
})
