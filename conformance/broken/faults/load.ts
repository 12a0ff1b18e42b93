import { commit, turn } from '../disk.ts'
import type { Steps } from '../steps.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf } from './fault.ts'
import { trusting } from './identity.ts'

const fault = faultsOf('load')
const { store } = soundSteps

const counts = [6, 24, 80, 240]

/** Acknowledges first, and stores a moment later. */
export const late: Steps['store'] = async (id, body, around) => {
  const isNew = await commit(around, () => !around.disk.events.has(id))
  void turn(30).then(() => store(id, body, around).catch(() => undefined))
  return isNew
}

/** Stores every second only, and tells of the others that they were there. */
const everySecond = (): Steps['store'] => {
  let count = 0
  return async (id, body, around) => count++ % 2 === 0 && (await store(id, body, around))
}

const crowded = (name: string, most: number, make: () => Steps['store']): BrokenReceiver =>
  fault(`${name} beyond ${most} requests at once`, 'acknowledgement.under-load', () => {
    const instead = make()
    return {
      store: (id, body, around) =>
        around.inFlight() > most ? instead(id, body, around) : store(id, body, around),
    }
  })

export const loads: readonly BrokenReceiver[] = [
  ...counts.map((most) => crowded('acknowledges before it stores', most, () => late)),
  ...counts.map((most) => crowded('drops what comes', most, () => async () => false)),
  ...counts.map((most) => crowded('takes every second for a copy', most, everySecond)),
  ...[20, 80].map((most) =>
    fault(`drops effects beyond ${most} requests at once`, 'acknowledgement.under-load', () => ({
      // Told to be a copy, it is stored and never handled.
      store: async (id, body, around) =>
        (await store(id, body, around)) && around.inFlight() <= most,
    })),
  ),
  ...[5, 20, 60].map((most) =>
    fault(`lets copies through beyond ${most} at once`, 'idempotency.one-effect', () => ({
      async store(id, body, around) {
        const isNew = await store(id, body, around)
        return isNew || around.inFlight() > most
      },
      newer: trusting,
    })),
  ),
  fault(
    'answers copies in flight before the first is stored',
    'acknowledgement.store-failure',
    () => {
      const under = new Set<string>()
      return {
        async store(id, body, around) {
          if (under.has(id)) return false
          under.add(id)
          try {
            await turn(10)
            return await store(id, body, around)
          } finally {
            under.delete(id)
          }
        },
      }
    },
  ),
  fault('answers copies in flight at once', 'acknowledgement.stored-first', () => {
    const under = new Set<string>()
    return {
      async store(id, body, around) {
        if (under.has(id)) return false
        under.add(id)
        await turn(40)
        return store(id, body, around)
      },
    }
  }),
  ...[1, 2].map((tries) =>
    fault(
      `takes a store that failed ${tries} times for done`,
      'acknowledgement.store-failure',
      () => {
        const failures = new Map<string, number>()
        return {
          async store(id, body, around) {
            if ((failures.get(id) ?? 0) >= tries) return false
            try {
              return await store(id, body, around)
            } catch (error) {
              failures.set(id, (failures.get(id) ?? 0) + 1)
              throw error
            }
          },
        }
      },
    ),
  ),
  fault('answers 410 while its store fails', 'acknowledgement.store-failure', () => ({
    storeFailed: () => ({ status: 410 }),
  })),
  ...[300, 700].map((ms) =>
    fault(
      `works through events one by one, ${ms} ms each, before it answers`,
      'acknowledgement.burst',
      () => {
        let last = Promise.resolve()
        return {
          before(inbound, around) {
            const mine = last.then(() => turn(ms))
            last = mine
            return mine.then(() => soundSteps.before(inbound, around))
          },
        }
      },
    ),
  ),
]
