import { turn } from './disk.ts'
import { late } from './faults/load.ts'
import { type BrokenOutcomeReceiver, outcomeFaultOf } from './outcome-fault.ts'
import type { OutcomeFault } from './outcome-receiver.ts'
import { soundSteps } from './steps.ts'

/** Goes on by this decision where its checkpoint was approved before. */
const following = (later: string): OutcomeFault => {
  return () => {
    const approved = new Set<unknown>()
    return {
      acts({ decision, checkpointId }) {
        if (decision === 'approved') approved.add(checkpointId)
        return decision === 'approved' || (decision === later && approved.has(checkpointId))
      },
    }
  }
}

const { store } = soundSteps

/** Endpoints that go on too early, again or not at all. */
export const resumings: readonly BrokenOutcomeReceiver[] = [
  ...['cancelled', 'expired', 'rejected'].map((later) =>
    outcomeFaultOf('resuming', 'outcome.older-copy')(
      `goes on again where what it approved is ${later}`,
      following(later),
    ),
  ),
  outcomeFaultOf('resuming', 'acknowledgement.store-failure')('goes on before it stores', () => ({
    async store(id, body, around) {
      const { effects, events } = around.disk
      if (!events.has(id) && soundSteps.parse(body)?.decision === 'approved')
        effects.set(id, (effects.get(id) ?? 0) + 1)
      await store(id, body, around)
      // It went on already.
      return false
    },
  })),
  outcomeFaultOf('resuming', 'idempotency.one-effect')(
    'goes on twice for two copies at once',
    () => ({
      async store(id, body, around) {
        const isNew = !around.disk.events.has(id)
        await store(id, body, around)
        return isNew
      },
    }),
  ),
  outcomeFaultOf('resuming', 'idempotency.restart')(
    'goes on again for a copy after a restart',
    () => ({
      async store(id, body, around) {
        await store(id, body, around)
        const isNew = !around.memory.has(id)
        around.memory.add(id)
        return isNew
      },
    }),
  ),
  outcomeFaultOf('resuming', 'acknowledgement.stored-first')('answers before it stores', () => ({
    store: late,
  })),
  outcomeFaultOf('resuming', 'acknowledgement.survives-kill')(
    'forgets at a kill what it is about to do',
    () => ({
      async carryOut({ act, mark }, { alive }) {
        mark()
        await turn(300)
        if (alive()) act()
      },
    }),
  ),
]
