import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cancelMeetsStart, holdMeetsStart, violation } from './races.ts'

describe('a purge that begins', () => {
  it('and a cancel: in 1,000 schedules one of them takes place', async () => {
    assert.equal(await violation(cancelMeetsStart, 1_000), null)
  })

  it('and a hold: in 1,000 schedules nothing that is held is purged', async () => {
    assert.equal(await violation(holdMeetsStart, 1_000), null)
  })
})
