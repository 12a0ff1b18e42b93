import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  actAtOnce,
  acts,
  inviteAndShutOut,
  raceAcceptances,
  raceAdmins,
  raceInviter,
  withoutRoster,
} from './member-races.ts'

describe('members, under any interleaving of the store', () => {
  it('never lose the last admin when two admins act on themselves and on each other', () =>
    raceAdmins(60))

  it('would, if changes of the set of admins did not write its row', async () => {
    const seen = await fc.check(
      fc.asyncProperty(fc.scheduler(), acts, (scheduler, drawn) =>
        actAtOnce(scheduler, drawn, withoutRoster),
      ),
      { numRuns: 100, endOnFailure: true },
    )
    assert.ok(seen.failed)
  })

  it('are one for an invitation that is accepted twice', () => raceAcceptances(60))

  it('leave no pending invitation of who is shut out while they invite', () => raceInviter(60))

  it('would, if an invitation did not write the row of the admins', async () => {
    const seen = await fc.check(
      fc.asyncProperty(fc.scheduler(), (scheduler) => inviteAndShutOut(scheduler, withoutRoster)),
      { numRuns: 100, endOnFailure: true },
    )
    assert.ok(seen.failed)
  })
})
