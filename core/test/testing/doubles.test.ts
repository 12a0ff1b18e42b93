import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  answered,
  createManualClock,
  createMemoryBlobs,
  plainCipher,
  plainPasswords,
  plainSealer,
  plainSessionTokens,
  scriptedTransport,
  seededRandom,
} from '@countersign/core/testing'

describe('manual clock', () => {
  it('calls timers at their moment, in order, those made meanwhile too', async () => {
    const clock = createManualClock(1000)
    const seen: [string, number][] = []
    clock.after(20, () => seen.push(['late', clock.now()]))
    clock.after(10, async () => {
      seen.push(['early', clock.now()])
      await Promise.resolve()
      clock.after(5, () => seen.push(['between', clock.now()]))
    })
    const cancel = clock.after(12, () => seen.push(['cancelled', clock.now()]))
    cancel()
    await clock.advance(30)
    assert.deepEqual(seen, [
      ['early', 1010],
      ['between', 1015],
      ['late', 1020],
    ])
    assert.equal(clock.now(), 1030)
    assert.equal(clock.waiting(), 0)
  })

  it('jumps the wall clock without firing anything or moving monotonic time', async () => {
    const clock = createManualClock(1000)
    let fired = 0
    clock.after(10, () => fired++)
    clock.jump(-500)
    clock.jump(100_000)
    assert.deepEqual([clock.now(), clock.monotonic(), fired], [100_500, 0, 0])
    await clock.advance(10)
    assert.deepEqual([clock.now(), clock.monotonic(), fired], [100_510, 10, 1])
  })
})

describe('seeded random', () => {
  it('draws the same for the same seed and otherwise for another', () => {
    const draw = (seed: number) => [...seededRandom(seed).bytes(32)].join()
    assert.equal(draw(7), draw(7))
    assert.equal(new Set(Array.from({ length: 1000 }, (_, seed) => draw(seed))).size, 1000)
  })

  it('stays below the limit and spreads', () => {
    const random = seededRandom(1)
    const counts = new Map<number, number>()
    for (let i = 0; i < 10_000; i++) {
      const drawn = random.below(10)
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1)
    }
    assert.deepEqual(
      [...counts.keys()].sort((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
    for (const count of counts.values()) assert.ok(count > 850 && count < 1150, String(count))
  })
})

describe('scripted transport', () => {
  it('answers by its script, records copies, and throws when the script is over', async () => {
    const transport = scriptedTransport([answered(200), answered(500)])
    const body = Uint8Array.of(1)
    const exchange = { url: 'https://a.example', headers: {}, body, deadlineMs: 1, keepBytes: 1 }
    assert.equal((await transport.post(exchange)).kind, 'answer')
    body[0] = 9
    await transport.post(exchange)
    await assert.rejects(transport.post(exchange), /2 results, exchange 3/)
    assert.deepEqual(
      transport.exchanges.map(({ body }) => body[0]),
      [1, 9, 9],
    )
  })
})

describe('plain secrets', () => {
  it('opens what it sealed, under the same key and context, unchanged', () => {
    const sealer = plainSealer()
    const plain = Uint8Array.from({ length: 100 }, (_, at) => at)
    const sealed = sealer.seal(plain, 'tenant a')
    assert.deepEqual(sealer.open(sealed, 'tenant a'), plain)
    assert.throws(() => sealer.open(sealed, 'tenant b'))
    assert.throws(() => plainSealer('other').open(sealed, 'tenant a'))
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.throws(() => sealer.open(changed, 'tenant a'))
    }
  })

  it('verifies passwords and tokens', async () => {
    const passwords = plainPasswords()
    assert.equal(await passwords.verify('a', await passwords.hash('a'), 'known'), true)
    assert.equal(await passwords.verify('b', await passwords.hash('a'), 'known'), false)
    assert.equal(await passwords.verify('a', null, 'known'), false)
    const tokens = plainSessionTokens()
    const claims = {
      memberId: 'm',
      tenantId: 't',
      sessionVersion: 1,
      tokenId: 'x',
      issuedAt: 1,
      expiresAt: 2,
    }
    const token = await tokens.issue(claims)
    assert.deepEqual(await tokens.verify(token, 1999), claims)
    assert.equal(await tokens.verify(token, 2000), null)
    assert.equal(await tokens.verify(`${token}0`, 1), null)
    assert.equal(await plainSessionTokens('other').verify(token, 1), null)
    assert.equal(await tokens.verifyDevice(token, 1), null)
    const device = { deviceId: 'd', subject: 's', issuedAt: 1, expiresAt: 2 }
    const held = await tokens.issueDevice(device)
    assert.deepEqual(await tokens.verifyDevice(held, 1), device)
    assert.equal(await tokens.verify(held, 1), null)
  })
})

describe('bytes of the caller', () => {
  it('stay as they are, and what is kept stays as it was, of a Buffer too', async () => {
    const bytes = Buffer.from('as it was')
    const [key, nonce] = [new Uint8Array(32), new Uint8Array(12)]
    plainCipher().encrypt({ key, nonce, plain: bytes, additional: new Uint8Array() })
    assert.equal(bytes.toString(), 'as it was')
    const blobs = createMemoryBlobs()
    await blobs.put([{ path: 'a/b', bytes }])
    bytes.fill(0)
    assert.equal(Buffer.from((await blobs.get('a/b')) ?? []).toString(), 'as it was')
  })
})
