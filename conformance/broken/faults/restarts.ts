import { turn } from '../disk.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf } from './fault.ts'

const fault = faultsOf('restart')

/** Takes up again less than what was left. */
const resuming = (
  name: string,
  resume: (ids: readonly string[]) => readonly string[],
): BrokenReceiver => fault(`resumes ${name}`, 'acknowledgement.resumes', () => ({ resume }))

/** Says that it did its work before it did it, which takes a while. */
const marking = (afterMs: number, workMs: number): BrokenReceiver =>
  fault(
    `calls an event handled after ${afterMs} ms, and acts on it ${workMs} ms later`,
    'acknowledgement.survives-kill',
    () => ({
      async carryOut({ act, mark }, { alive }) {
        await turn(afterMs)
        if (!alive()) return
        mark()
        await turn(workMs)
        if (alive()) act()
      },
    }),
  )

/** Acts on what came within a while all at once. */
const gathering = (ms: number): BrokenReceiver =>
  fault(`gathers work in memory for ${ms} ms`, 'acknowledgement.survives-kill', () => {
    let gathered: (() => void)[] = []
    return {
      carryOut({ act, mark }, { alive }) {
        mark()
        if (gathered.push(act) > 1) return
        void turn(ms).then(() => {
          const now = gathered
          gathered = []
          if (alive()) for (const one of now) one()
        })
      },
    }
  })

export const restarts: readonly BrokenReceiver[] = [
  resuming('nothing', () => []),
  ...[1, 5, 10, 20, 50, 100].map((most) =>
    resuming(`the last ${most} events`, (ids) => ids.slice(-most)),
  ),
  ...[1, 10, 50, 100].map((most) =>
    resuming(`the first ${most} events`, (ids) => ids.slice(0, most)),
  ),
  ...[
    [0, 300],
    [200, 600],
    [500, 700],
    [900, 800],
    [1_400, 900],
  ].map(([afterMs = 0, workMs = 0]) => marking(afterMs, workMs)),
  ...[200, 700, 1_500].map(gathering),
  resuming('every event but the last', (ids) => ids.slice(0, -1)),
  resuming('every second event', (ids) => ids.filter((_, at) => at % 2 === 0)),
  fault('forgets its heads and its ids with its memory', 'idempotency.restart', () => ({
    async store(id, body, around) {
      await soundSteps.store(id, body, around)
      const isNew = !around.memory.has(id)
      around.memory.add(id)
      return isNew
    },
    newer: () => true,
  })),
]
