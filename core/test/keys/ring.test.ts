import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { IssuerKeyRing } from '../../keys/records.ts'
import {
  firstRing,
  nextTidy,
  nextVersion,
  overlapMs,
  publishAheadMs,
  published,
  rotate,
  signing,
  tidy,
} from '../../keys/ring.ts'

const start = Date.UTC(2026, 10, 21, 8, 0, 0)
const hour = 3_600_000
const material = { sealed: new Uint8Array(48), publicKey: new Uint8Array(32) }
const first = firstRing('ten_1', material, start)
const versions = (keys: readonly { version: number }[]) => keys.map(({ version }) => version)

function rotated(ring: IssuerKeyRing, now: number): IssuerKeyRing {
  const result = rotate(ring, material, now)
  assert.ok(result.ok)
  return result.value
}

test('a rotation takes its course by the clock alone, at its exact milliseconds', () => {
  const ring = rotated(first, start + hour)
  const signsFrom = start + hour + publishAheadMs
  const ends = signsFrom + overlapMs
  const course = [
    [start + hour, [1], [2, 1]],
    [signsFrom - 1, [1], [2, 1]],
    [signsFrom, [2, 1], [2, 1]],
    [ends - 1, [2, 1], [2, 1]],
    [ends, [2], [2, 1]],
    [ends + 24 * hour - 1, [2], [2, 1]],
    [ends + 24 * hour, [2], [2]],
  ] as const
  for (const [now, signs, shown] of course) {
    assert.deepEqual(versions(signing(ring, now)), signs)
    assert.deepEqual(versions(published(ring, now)), shown)
  }
})

test('another rotation must wait until the one before it is over', () => {
  const ring = rotated(first, start)
  const ends = start + publishAheadMs + overlapMs
  const early = rotate(ring, material, ends - 1)
  assert.ok(!early.ok)
  assert.equal(early.refusal.code, 'already_rotating')
  assert.equal(early.refusal.retryAfter, 1)
  assert.equal(nextVersion(rotated(ring, ends)), 4)
})

test('a seed is gone once its key has signed its last, the public key a day later', () => {
  const ring = rotated(first, start)
  const ends = start + publishAheadMs + overlapMs
  assert.equal(nextTidy(ring), ends)
  assert.notEqual(tidy(ring, ends - 1).keys[0]?.sealed, null)
  const wiped = tidy(ring, ends)
  assert.equal(wiped.keys[0]?.sealed, null)
  assert.equal(nextTidy(wiped), ends + 24 * hour)
  assert.deepEqual(versions(tidy(wiped, ends + 24 * hour).keys), [2])
  assert.equal(nextTidy(tidy(wiped, ends + 24 * hour)), null)
})

test('the first key signs at any time, even when the clock steps back before it was made', () => {
  assert.deepEqual(versions(signing(first, start - 600_000)), [1])
})

test('whenever rotations are asked for: something signs, at most two, each published a day before and after', () => {
  const asks = fc.array(fc.integer({ min: 0, max: 80 }), { maxLength: 12 })
  fc.assert(
    fc.property(
      asks,
      fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1 }),
      (waits, at) => {
        let ring = first
        let now = start
        const seen: IssuerKeyRing[] = [ring]
        for (const wait of waits) {
          now += wait * hour
          const result = rotate(ring, material, now)
          if (result.ok) ring = result.value
          ring = tidy(ring, now)
          seen.push(ring)
        }
        assert.equal(new Set(versions(ring.keys)).size, ring.keys.length)
        for (const offset of at) {
          const time = now + offset * hour
          const active = versions(signing(ring, time))
          assert.ok(active.length === 1 || active.length === 2, `${active} sign`)
          assert.ok(active.every((version) => versions(published(ring, time)).includes(version)))
          for (const key of signing(ring, time)) assert.notEqual(key.sealed, null)
          if (time - 24 * hour >= now)
            assert.ok(
              active.every((one) => versions(published(ring, time - 24 * hour)).includes(one)),
            )
        }
      },
    ),
  )
})

test('something signs also when a clock that ran ahead had the keys tidied and was set right', () => {
  const rotating = rotated(first, start)
  for (const ahead of [49 * hour, 73 * hour]) {
    const tidied = tidy(rotating, start + ahead)
    const able = signing(tidied, start + hour)
    assert.deepEqual(versions(able), [2], `${ahead} ms ahead`)
    assert.ok(able.every(({ sealed }) => sealed !== null))
  }
})
