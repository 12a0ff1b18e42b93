import { expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { until } from '../wait.ts'
import { refused, type World } from '../world.ts'
import { acts, done } from './acts.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const minute = 60_000

async function opened(world: World, dueIn: number, expiresIn: number) {
  const now = await world.clock.now()
  return world.open({ dueAt: iso(now + dueIn), expiresAt: iso(now + expiresIn) })
}

export const timeChecks = group('time', 'interface, Transition table; rows 8 and 9', [
  {
    name: 'overdue',
    promise: 'row 8: a case that is still open at dueAt becomes overdue, once',
    needs: ['clock'],
    run: async (world) => {
      const seen = await opened(world, 10 * minute, 60 * minute)
      await world.clock.advance(11 * minute)
      const late = await until('overdueAt to be set', async () => {
        const now = await world.read(seen.reviewCaseId)
        return now.overdueAt === null ? undefined : now
      })
      expectEqual([late.state, late.decision], ['open', null], 'state, decision')
      expectEqual([late.caseVersion, late.eventSequence], [2, 2], 'version, sequence')
      await world.clock.advance(20 * minute)
      expectEqual((await world.read(seen.reviewCaseId)).eventSequence, 2, 'the sequence later on')
    },
  },
  {
    name: 'expiry',
    promise: 'row 9: a case expires at expiresAt and never counts as approved',
    needs: ['clock'],
    run: async (world) => {
      const seen = await opened(world, 5 * minute, 10 * minute)
      const mine = await done(acts.claim(world, seen, 'reviewer'))
      await world.clock.advance(11 * minute)
      refused(await acts.decide(world, mine, 'reviewer', 'approved'), 409, 'case_expired')
      const now = await until('the case to expire', async () => {
        const read = await world.read(seen.reviewCaseId)
        return read.state === 'expired' ? read : undefined
      })
      expectEqual(now.decision, 'expired', 'the decision')
      refused(await acts.claim(world, now, 'admin'), 409, 'case_expired')
    },
  },
  {
    name: 'timer',
    promise: 'nobody has to ask for a case to expire',
    needs: ['clock'],
    run: async (world) => {
      const seen = await opened(world, 10 * minute, 10 * minute)
      await world.clock.advance(11 * minute)
      const now = await until('the case to expire by itself', async () => {
        const read = await world.read(seen.reviewCaseId)
        return read.state === 'expired' ? read : undefined
      })
      expectEqual(now.overdueAt, null, 'overdueAt of a case whose both times passed at once')
    },
  },
])
