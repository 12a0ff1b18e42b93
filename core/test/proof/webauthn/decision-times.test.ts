import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isAround } from '../../../proof/webauthn/decision-times.ts'

const now = Date.parse('2026-05-01T12:00:00.000Z')

it('a time is about now for five minutes before and after it, and no text without a time is', () => {
  for (const [written, is] of [
    ['2026-05-01T12:00:00.000Z', true],
    ['2026-05-01T11:55:00.000Z', true],
    ['2026-05-01T11:54:59.999Z', false],
    ['2026-05-01T12:05:00.000Z', true],
    ['2026-05-01T12:05:00.001Z', false],
    ['2026-10-28T12:00:00.000Z', false],
    ['', false],
    ['soon', false],
  ] as const)
    assert.equal(isAround(written, now), is, written)
})
