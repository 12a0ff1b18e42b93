import { describe, it } from 'node:test'
import { decideMeetsExpiry } from './expiry-race.ts'

describe('a case, in 1,000 schedules of the store', () => {
  it('is decided or expires when its deadline passes meanwhile', () => decideMeetsExpiry(1000))
})
