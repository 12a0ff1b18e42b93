import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type DecisionTimes,
  faultOfTimes,
  isAround,
} from '../../../proof/webauthn/decision-times.ts'

const now = Date.parse('2026-05-01T12:00:00.000Z')

it('a time is about now for five minutes before and after it, and no text without a time is', () => {
  for (const [written, is] of [
    ['2026-05-01T12:00:00.000Z', true],
    ['2026-05-01T11:55:00.000Z', true],
    ['2026-05-01T11:54:59.999Z', false],
    ['2026-05-01T12:05:00.000Z', true],
    ['2026-05-01T12:05:00.001Z', false],
    ['2026-10-28T12:00:00.000Z', false],
    // A day that is none is another one to each reader.
    ['2026-04-31T12:00:00.000Z', false],
    ['2026-04-30T36:00:00.000Z', false],
    // Each clock would read it in its own zone.
    ['2026-05-01T12:00:00.000', false],
    ['2026-05-01T14:00:00.000+02:00', false],
    ['Fri May 01 2026 12:00:00', false],
    ['', false],
    ['soon', false],
  ] as const)
    assert.equal(isAround(written, now), is, written)
})

it('a decision fits no time that is no number, and no text without a zone', () => {
  const issuedAt = '2026-05-01T12:00:00.000Z'
  const hourMs = 60 * 60_000
  assert.equal(faultOfTimes(issuedAt, { receivedAt: now, deadline: now + hourMs }), null)
  // As drivers of databases give 64 bits.
  const late = { receivedAt: now, deadline: String(now - hourMs) } as unknown as DecisionTimes
  assert.match(
    faultOfTimes(issuedAt, late) ?? '',
    /expected deadline as a number of ms, got string/,
  )
  for (const receivedAt of [String(now), null])
    assert.ok(faultOfTimes(issuedAt, { receivedAt } as unknown as DecisionTimes) !== null)
  assert.ok(faultOfTimes('2026-05-01T12:00:00.000', { receivedAt: now }) !== null)
})
