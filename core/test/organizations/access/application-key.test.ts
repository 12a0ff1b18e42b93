import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import * as zlib from 'node:zlib'
import { hashApplicationKey, isApplicationKey, newApplicationKey } from '@countersign/core/access'
import { seededRandom } from '@countersign/core/testing'
import fc from 'fast-check'
import { crc32 } from '../../../organizations/api-keys/crc32.ts'

const utf8 = new TextEncoder()
const key = fc.integer().map((seed) => newApplicationKey(seededRandom(seed)))

describe('crc32', () => {
  it('gives the check value of the catalogue', () => {
    assert.equal(crc32(utf8.encode('123456789')), 0xcbf43926)
    assert.equal(crc32(new Uint8Array()), 0)
  })

  const skip = 'crc32' in zlib ? false : 'this Node has no zlib.crc32'
  it('agrees with zlib', { skip }, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        assert.equal(crc32(bytes), zlib.crc32(bytes))
      }),
    )
  })
})

describe('application keys', () => {
  it('have the documented form', () => {
    fc.assert(
      fc.property(key, (value) => {
        assert.match(value, /^svc_app_[0-9A-Za-z]{46}$/)
        assert.ok(isApplicationKey(value))
      }),
    )
  })

  it('are known by SHA-256', () => {
    const value = newApplicationKey(seededRandom(1))
    assert.equal(hashApplicationKey(value), createHash('sha256').update(value).digest('hex'))
  })

  it('with any one character changed are no keys', () => {
    const place = fc.tuple(
      key,
      fc.integer({ min: 0, max: 53 }),
      fc.constantFrom(...'0123456789ABCXYZabcxyz_- é'),
    )
    fc.assert(
      fc.property(place, ([value, at, other]) => {
        fc.pre(value[at] !== other)
        assert.ok(!isApplicationKey(value.slice(0, at) + other + value.slice(at + 1)))
      }),
    )
  })

  it('cut, lengthened or with another prefix are no keys', () => {
    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: 54 }), (value, cut) => {
        assert.ok(!isApplicationKey(value.slice(0, -cut)))
        assert.ok(!isApplicationKey(`${value}0`))
        assert.ok(!isApplicationKey(`${value}\n`))
        assert.ok(!isApplicationKey(` ${value}`))
        assert.ok(!isApplicationKey(value.replace('svc_app_', 'svc_cus_')))
      }),
    )
  })

  it('draw each character equally often', () => {
    const random = seededRandom(7)
    const counts = new Map<string, number>()
    const keys = 4000
    for (let made = 0; made < keys; made++)
      for (const character of newApplicationKey(random).slice(8, 48))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    assert.equal(counts.size, 62)
    const mean = (keys * 40) / 62
    // Six standard deviations; taking a byte modulo 62 without rejecting would put eight characters 21 % above the rest.
    const most = 6 * Math.sqrt(mean)
    for (const [character, count] of counts)
      assert.ok(Math.abs(count - mean) < most, `${character} came ${count} times, mean ${mean}`)
  })
})
