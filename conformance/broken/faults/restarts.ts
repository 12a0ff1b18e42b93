import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf } from './fault.ts'

const fault = faultsOf('restart')

/** Takes up again less than what was left. */
const resuming = (
  name: string,
  resume: (ids: readonly string[]) => readonly string[],
): BrokenReceiver => fault(`resumes ${name}`, 'acknowledgement.resumes', () => ({ resume }))

export const restarts: readonly BrokenReceiver[] = [
  resuming('nothing', () => []),
  ...[1, 5, 10, 20, 50, 100].map((most) =>
    resuming(`the last ${most} events`, (ids) => ids.slice(-most)),
  ),
  ...[1, 10, 50, 100].map((most) =>
    resuming(`the first ${most} events`, (ids) => ids.slice(0, most)),
  ),
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
