import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
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
        if (sent.length > limit) assert.equal(body.ok || body.why, 'too_large')
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
    assert.deepEqual(why, { ok: false, why: 'too_many_chunks', read: chunkLimit + 1 })
  })

  test('that breaks off is told, before the reading began or after', async () => {
    const broken = { ok: false, why: 'broken_off', read: 0 }
    const late = requestOf([])
    late.destroy()
    assert.deepEqual(await readBody(late, limit), broken)
    const early = new Readable({ read() {} })
    early.push(Buffer.from('x'))
    const reading = readBody(early as IncomingMessage, limit)
    await new Promise(setImmediate)
    early.destroy(new Error('reset'))
    assert.deepEqual(await reading, { ...broken, read: 1 })
  })
})

const mebibyte = 1024 * 1024

describe('a body in gzip', () => {
  const room = () => createBodyRoom().open('')
  const inflate = (chunks: readonly Uint8Array[], most = limit, share = room()) =>
    readBody(Readable.from(chunks, { objectMode: false }) as IncomingMessage, most, share, 'gzip')
  const cutIn = (bytes: Uint8Array, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )

  test('is inflated whole however it is cut, up to the limit', async () => {
    await fc.assert(
      fc.asyncProperty(chunked, fc.integer({ min: 1, max: 40 }), async (chunks, size) => {
        const sent = Buffer.concat(chunks)
        const body = await inflate(cutIn(gzipSync(sent), size))
        if (sent.length > limit) assert.equal(body.ok || body.why, 'too_large')
        else assert.deepEqual(body.ok && Buffer.from(body.bytes), sent)
      }),
    )
  })

  test('that ends too early or is none is told', async () => {
    const whole = gzipSync('countersign')
    for (const length of [1, 5, 12, whole.length - 1])
      assert.equal((await inflate([whole.subarray(0, length)])).ok, false, `${length} bytes`)
    const why = await inflate([Buffer.from('{"resourceSpans":[]}')])
    assert.deepEqual(why, { ok: false, why: 'bad_encoding', read: 0 })
  })

  test('that inflates to far more than the limit is inflated no further', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * mebibyte))
    let most = 0
    const watched = {
      holds(bytes: number) {
        most = Math.max(most, bytes)
        return true
      },
      end() {},
    }
    const body = await inflate(cutIn(bomb, 16_384), mebibyte, watched)
    assert.ok(!body.ok)
    assert.equal(body.why, 'too_large')
    assert.ok(body.read <= mebibyte + 65_536)
    assert.equal(most, mebibyte)
  })

  test('that inflates to nothing, chunk after chunk, is not read on', async () => {
    // Stored blocks without content.
    const head = gzipSync('').subarray(0, 10)
    const empty = Uint8Array.of(0, 0, 0, 0xff, 0xff)
    const blocks = Array.from({ length: chunkLimit }, () => empty)
    const body = await inflate([head, ...blocks], mebibyte)
    assert.equal(body.ok || body.why, 'too_many_chunks')
    const packed = await inflate([Buffer.concat([head, ...blocks])], 8_192)
    assert.equal(packed.ok || packed.why, 'too_large')
  })

  test('that breaks off is told', async () => {
    const early = new Readable({ read() {} })
    early.push(gzipSync('countersign').subarray(0, 12))
    const reading = readBody(early as IncomingMessage, limit, room(), 'gzip')
    await new Promise(setImmediate)
    early.destroy(new Error('reset'))
    const body = await reading
    assert.equal(body.ok || body.why, 'broken_off')
  })
})

/** A request whose body has come this far and does not end. */
function unfinished(bytes: number): IncomingMessage {
  const request = new Readable({ read() {} })
  request.push(Buffer.alloc(bytes))
  return request as IncomingMessage
}

describe('unfinished bodies', () => {
  test('of one caller, and of all, hold so much; what ends gives its room back', async () => {
    const room = createBodyRoom({ mostBytes: 4 * mebibyte, perCaller: 2 * mebibyte })
    const noRoom = { ok: false, why: 'no_room', read: mebibyte }
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
    assert.equal((await slow).ok, false)
    assert.equal(room.open('a').holds(8_192), true)
  })
})
