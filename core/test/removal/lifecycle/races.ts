import type { Store } from '@countersign/core/ports'
import fc from 'fast-check'
import { applications } from '../../../applications/records.ts'
import type { WorkHandler } from '../../../kernel/work/handler.ts'
import { purges } from '../../../removal/lifecycle/records.ts'
import { day, memoryPorts, organization, storeSession, value } from '../erasure/world.ts'
import { purgeProcess } from './world.ts'

type Change = (handler: WorkHandler) => WorkHandler

/** A process whose every call of the store waits for its turn in the schedule that is set, if one is. */
async function racingWorld(change: Change) {
  const ports = memoryPorts()
  let turn: ((call: string) => Promise<void>) | null = null
  const store: Store = {
    ...ports.store,
    read: async (...asked) => {
      await turn?.('read')
      return ports.store.read(...asked)
    },
    commit: async (set) => {
      await turn?.('commit')
      return ports.store.commit(set)
    },
  }
  const process = purgeProcess({ ...ports, store }, (handler) => beginsOnly(change(handler)))
  const acme = await organization(process.service)
  await process.purger.tick()
  return {
    ...ports,
    ...acme,
    process,
    schedule: (s: fc.Scheduler | null) => {
      turn = s ? s.scheduleFunction(async (_call: string) => {}) : null
    },
  }
}

type RacingWorld = Awaited<ReturnType<typeof racingWorld>>

/** Leaves a purge where it begins: what follows is no part of the race. */
function beginsOnly(handler: WorkHandler): WorkHandler {
  if (handler.kind !== 'purge') return handler
  return {
    ...handler,
    run: async (item, unit, owing) => ({
      ...(await handler.run(item, unit, owing)),
      next: unit.now + 99 * day,
    }),
  }
}

/** An application whose grace period is over, with a session of a subject of its own. */
async function pending(w: RacingWorld) {
  const { service } = w.process
  const { applicationId } = value(await service.applications.create(w.admin, { name: 'Claims' }))
  const subject = `${applicationId}@example.com`
  await storeSession(w.process, {
    tenantId: w.tenantId,
    applicationId,
    sessionId: 'one',
    subject,
    steps: [{ stepId: 'a', text: 'content' }],
  })
  value(await service.applications.requestDeletion(w.admin, { applicationId }))
  w.clock.jump(7 * day)
  return { applicationId, subject }
}

function stateOf(w: RacingWorld, id: string): string | undefined {
  return w.store.rows(applications).find(({ row }) => row.applicationId === id)?.row.lifecycleState
}

type Race = (w: RacingWorld, s: fc.Scheduler) => Promise<string | null>

/** A cancel meets the beginning of the purge: exactly one of them takes place. */
export const cancelMeetsStart: Race = async (w, s) => {
  const { applicationId } = await pending(w)
  w.schedule(s)
  const { purger, service } = w.process
  const cancels = service.applications.cancelDeletion(w.admin, { applicationId })
  const [cancelled] = await s.waitFor(Promise.all([cancels, purger.tick()]))
  w.schedule(null)
  const state = stateOf(w, applicationId)
  const begun = w.store.rows(purges).some(({ row }) => row.applicationId === applicationId)
  if (cancelled.ok)
    return state === 'active' && !begun ? null : `cancelled, and ${state}, begun ${begun}`
  if (cancelled.refusal.code !== 'purge_started') return `refused with ${cancelled.refusal.code}`
  return state === 'purging' && begun ? null : `refused, and ${state}, begun ${begun}`
}

/** A hold meets the beginning of the purge: what is held is not purged. */
export const holdMeetsStart: Race = async (w, s) => {
  const { applicationId, subject } = await pending(w)
  w.schedule(s)
  const { purger, service } = w.process
  const places = service.legalHolds.place(w.admin, { dataSubjectId: subject, matter: 'a dispute' })
  const [placed] = await s.waitFor(Promise.all([places, purger.tick()]))
  w.schedule(null)
  const state = stateOf(w, applicationId)
  if (placed.ok) return state === 'pending_deletion' ? null : `held, and ${state}`
  if (placed.refusal.code !== 'purge_started') return `refused with ${placed.refusal.code}`
  return state === 'purging' ? null : `refused, and ${state}`
}

/** The purge neither writes nor checks rows of a collection, as if nothing else did. */
export function careless(name: string): Change {
  return (handler) => ({
    ...handler,
    run: async (item, unit, owing) => {
      const step = await handler.run(item, unit, owing)
      const others = ({ in: each }: { readonly in: string }) => each !== name
      const puts = step.set?.puts?.filter(others) ?? []
      return { ...step, set: { ...step.set, puts, checks: step.set?.checks?.filter(others) ?? [] } }
    },
  })
}

/** Schedules that share a world: its holds and applications add up. */
const sharing = 10

/** The first violation in so many schedules, or null. */
export async function violation(
  race: Race,
  numRuns: number,
  change: Change = (handler) => handler,
): Promise<string | null> {
  let world: RacingWorld | null = null
  let runs = 0
  let found: string | null = null
  const property = fc.asyncProperty(fc.scheduler(), async (s) => {
    if (!world || runs++ % sharing === 0) world = await racingWorld(change)
    found ??= await race(world, s)
    return found === null
  })
  const { errorInstance } = await fc.check(property, { numRuns, endOnFailure: true })
  if (errorInstance !== null && found === null) throw errorInstance
  return found
}
