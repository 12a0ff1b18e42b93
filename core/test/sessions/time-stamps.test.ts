import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { timeStampSuite } from '@countersign/conformance/time-stamps'
import { unwrap } from '@countersign/core'
import { createDelayedLedger, plainAuthority, unsignedTimeStamp } from '@countersign/core/testing'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { TimeStampAuthority } from '../../base/ports/time-stamps.ts'
import { anchors } from '../../content/seal-records.ts'
import { decodeBase64 } from '../../proof/signing/encoding.ts'
import { readTimeStamp } from '../../proof/time-stamp.ts'
import { createWorld, send, span, start } from './world.ts'

const minute = 60_000

timeStampSuite({
  test,
  create: async () => plainAuthority(() => start),
  readStamp: readTimeStamp,
  now: () => start,
})

/** An authority that notes what it was asked for, and refuses while `isOut` says so. */
function watched(isOut: (asked: number) => boolean = () => false) {
  const asked: string[] = []
  const { stamp } = plainAuthority(() => start)
  const timeStamps: TimeStampAuthority = {
    stamp: async (digest) => {
      asked.push(bytesToHex(digest))
      if (isOut(asked.length)) throw new Error('the authority is out')
      return stamp(digest)
    },
  }
  return { asked, timeStamps }
}

async function sealed(given: Parameters<typeof createWorld>[0]) {
  const world = await createWorld(given)
  unwrap(await send(world, span()))
  await world.pass(2 * minute)
  await world.pass(2 * minute)
  return world
}

const digestOf = (timeStamp: string | null | undefined) =>
  readTimeStamp(decodeBase64(timeStamp ?? '') ?? new Uint8Array())?.digest

describe('time stamps of a ledger', () => {
  it('are over the hash of each entry, and shown with its anchor wherever that is', async () => {
    const { asked, timeStamps } = watched()
    const { service, admin, rows } = await sealed({ timeStamps })
    const [entry, ...more] = rows(anchors)
    assert.deepEqual(more, [])
    assert.deepEqual(asked, [entry?.entryHash])
    assert.equal(digestOf(entry?.timeStamp), entry?.entryHash)
    assert.equal(entry?.stampDue, null)
    const { anchor } = unwrap(await service.sessions.proof(admin, { sessionId: 'session-1' }))
    assert.equal(anchor.timeStamp, entry?.timeStamp)
    const { integrity } = unwrap(await service.evidence.read(admin, { sessionId: 'session-1' }))
    assert.equal(integrity.anchor?.timeStamp, entry?.timeStamp)
    const { anchors: listed } = unwrap(await service.anchors.list(admin, {}))
    assert.equal(listed[0]?.timeStamp, entry?.timeStamp)
  })

  it('are asked for again until the authority answers, and what it answered is kept', async () => {
    const { asked, timeStamps } = watched((count) => count <= 3 || count === 5)
    const world = await sealed({ timeStamps })
    const seal = async (name: string) => {
      unwrap(await send(world, span({ sessionId: name, traceId: name.padStart(32, '0') })))
      await world.pass(2 * minute)
      await world.pass(2 * minute)
    }
    assert.deepEqual(
      world.rows(anchors).map(({ timeStamp }) => timeStamp),
      [null],
    )
    await seal('2')
    for (let passed = 0; passed < 10; passed++) await world.pass(minute)
    const found = world.rows(anchors)
    assert.equal(found.length, 2)
    for (const { entryHash, timeStamp, stampDue } of found)
      assert.deepEqual([digestOf(timeStamp), stampDue], [entryHash, null])
    assert.equal(asked.length, 6)
  })

  it('are asked for once a ledger elsewhere has an entry for good', async () => {
    const { asked, timeStamps } = watched()
    const { pass, rows } = await sealed({ timeStamps, anchors: createDelayedLedger(5 * minute) })
    assert.deepEqual(asked, [])
    for (let passed = 0; passed < 10; passed++) await pass(minute)
    const [entry] = rows(anchors)
    assert.equal(entry?.status, 'included')
    assert.deepEqual(asked, [entry?.entryHash])
    assert.equal(digestOf(entry?.timeStamp), entry?.entryHash)
  })

  it('are not kept where they are of something else, or none', async () => {
    const other = unsignedTimeStamp(new Uint8Array(32), start)
    for (const answer of [other, other.subarray(0, 90), new Uint8Array(70_000)]) {
      const { pass, rows } = await sealed({ timeStamps: { stamp: async () => answer } })
      await pass(10 * minute)
      assert.deepEqual(
        rows(anchors).map(({ timeStamp, stampDue }) => [timeStamp, stampDue !== null]),
        [[null, true]],
      )
    }
  })

  it('are not waited for without an authority', async () => {
    const { rows } = await sealed({})
    assert.deepEqual(
      rows(anchors).map(({ timeStamp, stampDue }) => [timeStamp, stampDue]),
      [[null, null]],
    )
  })
})

describe('readTimeStamp', () => {
  const digest = Uint8Array.from({ length: 32 }, (_, at) => at)

  it('reads digest, time and nonce of a granted answer', () => {
    const nonce = Uint8Array.of(0, 200, 1)
    for (const status of ['00', '01'])
      assert.deepEqual(
        readTimeStamp(unsignedTimeStamp(digest, start, { status, nonce: [nonce] })),
        {
          digest: bytesToHex(digest),
          stampedAt: start,
          nonce: '00c801',
        },
      )
    assert.equal(readTimeStamp(unsignedTimeStamp(digest, start + 120))?.stampedAt, start + 120)
  })

  it('refuses what was not granted, is cut, goes on behind its end, or is of another digest', () => {
    const genuine = unsignedTimeStamp(digest, start)
    assert.equal(readTimeStamp(unsignedTimeStamp(digest, start, { status: '02' })), null)
    assert.equal(readTimeStamp(unsignedTimeStamp(digest.subarray(1), start)), null)
    assert.equal(readTimeStamp(Uint8Array.of(...genuine, 5, 0)), null)
    for (let end = 0; end < genuine.length; end++)
      assert.equal(readTimeStamp(genuine.subarray(0, end)), null)
  })

  it('throws for no bytes at all', () => {
    const genuine = unsignedTimeStamp(digest, start)
    for (let at = 0; at < genuine.length; at++)
      for (const to of [0, 1, 0x80, 0x84, 0x7f, 0xff]) {
        const changed = Uint8Array.from(genuine)
        changed[at] = to
        readTimeStamp(changed)
      }
  })
})
