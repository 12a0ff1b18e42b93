import { describe, it } from 'node:test'
import { raceAcceptances, raceAdmins, raceInviter } from './member-races.ts'

describe('members, in 1,000 schedules of the store each', () => {
  it('never lose the last admin when two admins act on themselves and on each other', () =>
    raceAdmins(1000))

  it('are one for an invitation that is accepted twice', () => raceAcceptances(1000))

  it('leave no pending invitation of who is shut out while they invite', () => raceInviter(1000))
})
