import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cancelMeetsStart, careless, holdMeetsStart, violation } from './races.ts'

// 1,000 schedules of each are in races.long.test.ts.
describe('a purge that begins', () => {
  it('and a cancel: in 50 schedules one of them takes place', async () => {
    assert.equal(await violation(cancelMeetsStart, 50), null)
  })

  it('and a hold: in 50 schedules nothing that is held is purged', async () => {
    assert.equal(await violation(holdMeetsStart, 50), null)
  })

  it('is seen to purge what is held, where it does not write the board of holds', async () => {
    const found = await violation(holdMeetsStart, 1_000, careless('holdBoards'))
    assert.equal(found, 'held, and purging')
  })

  it('is seen to purge what was cancelled, where it does not write the application', async () => {
    const found = await violation(cancelMeetsStart, 1_000, careless('applications'))
    assert.match(found ?? '', /begun true/)
  })
})
