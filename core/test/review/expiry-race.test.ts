import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideMeetsExpiry, slowClock } from './expiry-race.ts'

// 1,000 schedules are in races.long.test.ts.
describe('a decision and the deadline of its case', () => {
  it('are one end, which the application hears', () => decideMeetsExpiry(100))

  it('would notice: a decision by an earlier time', () =>
    assert.rejects(decideMeetsExpiry(200, slowClock), ({ cause }: Error) =>
      /behind the deadline/.test(String(cause)),
    ))
})
