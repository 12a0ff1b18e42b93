import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sealer } from '@countersign/node'
import fc from 'fast-check'

const key = (fill: number) => new Uint8Array(32).fill(fill)
const bytes = fc.uint8Array({ maxLength: 200 })
const context = fc.string()

describe('the sealer', () => {
  const one = sealer({ masterKey: key(1) })

  it('opens what it sealed, and gives plain arrays', () => {
    fc.assert(
      fc.property(bytes, context, (plain, place) => {
        const sealed = one.seal(plain, place)
        assert.ok(!Buffer.isBuffer(sealed) && !Buffer.isBuffer(one.open(sealed, place)))
        assert.deepEqual(one.open(sealed, place), plain)
      }),
    )
  })

  it('refuses a change of any one byte', () => {
    const flip = fc.record({ plain: bytes, at: fc.nat(), bit: fc.nat(7) })
    fc.assert(
      fc.property(flip, ({ plain, at, bit }) => {
        const sealed = one.seal(plain, 'place')
        const index = at % sealed.length
        sealed[index] = (sealed[index] ?? 0) ^ (1 << bit)
        assert.throws(() => one.open(sealed, 'place'))
      }),
    )
  })

  it('refuses what was cut or lengthened', () => {
    fc.assert(
      fc.property(bytes, fc.nat(60), (plain, cut) => {
        const sealed = one.seal(plain, 'place')
        assert.throws(() => one.open(sealed.slice(0, -1 - (cut % sealed.length)), 'place'))
        assert.throws(() => one.open(Uint8Array.of(...sealed, 0), 'place'))
      }),
    )
  })

  it('refuses another place', () => {
    fc.assert(
      fc.property(bytes, context, context, (plain, here, there) => {
        fc.pre(Buffer.from(here).compare(Buffer.from(there)) !== 0)
        assert.throws(() => one.open(one.seal(plain, here), there))
      }),
    )
  })

  it('never seals twice alike', () => {
    const sealed = Array.from({ length: 100 }, () => one.seal(new Uint8Array(8), 'x').join())
    assert.equal(new Set(sealed).size, 100)
  })

  it('opens under a previous key, tells what lies under it, and refuses a key that is gone', () => {
    const old = one.seal(Uint8Array.of(1, 2, 3), 'place')
    const rotated = sealer({ masterKey: key(2), previousKeys: [key(1)] })
    assert.deepEqual(rotated.open(old, 'place'), Uint8Array.of(1, 2, 3))
    assert.equal(rotated.isCurrent(old), false)
    const fresh = rotated.seal(rotated.open(old, 'place'), 'place')
    assert.equal(rotated.isCurrent(fresh), true)
    const without = sealer({ masterKey: key(2) })
    assert.deepEqual(without.open(fresh, 'place'), Uint8Array.of(1, 2, 3))
    assert.throws(
      () => without.open(old, 'place'),
      /under the key [0-9a-f]{16}, which is not among those given: [0-9a-f]{16}$/,
    )
    assert.throws(() => one.open(fresh, 'place'), /not among those given/)
  })

  it('shows neither the plain bytes nor the key', () => {
    const plain = new TextEncoder().encode('whsec_secret_secret_secret')
    const sealed = Buffer.from(one.seal(plain, 'place'))
    assert.equal(sealed.indexOf('secret'), -1)
    assert.equal(sealed.indexOf(key(1).subarray(0, 8)), -1)
  })

  it('takes keys of 32 bytes alone', () => {
    for (const length of [0, 16, 31, 33, 64])
      assert.throws(() => sealer({ masterKey: new Uint8Array(length) }), /32 bytes, got/)
    assert.throws(
      () => sealer({ masterKey: key(1), previousKeys: [new Uint8Array(16)] }),
      /32 bytes, got 16/,
    )
  })
})
