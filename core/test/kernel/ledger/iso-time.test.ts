import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime } from '../../../kernel/ledger/iso-time.ts'

const furthest = 8_640_000_000_000_000

test('times are told as the language tells them', () => {
  const ms = fc.oneof(
    fc.integer({ min: -furthest, max: furthest }),
    fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
    fc.integer({ min: -40_000, max: 40_000 }).map((day) => day * 86_400_000),
    fc.double({ min: -furthest, max: furthest, noNaN: true }),
    fc.constantFrom(-1, 0, 999, 86_399_999, 253_402_300_799_999, 253_402_300_800_000, furthest),
  )
  fc.assert(fc.property(ms, (at) => assert.equal(isoTime(at), new Date(at).toISOString())))
})

test('what is no time is refused', () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, furthest + 1, -furthest - 1])
    assert.throws(() => isoTime(ms), RangeError)
})
