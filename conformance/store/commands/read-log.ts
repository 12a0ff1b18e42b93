import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { counters, tenants } from '../arbitraries.ts'
import type { StoreCommand } from './command.ts'

/** Reads a stretch of a log, and a counter, from the same snapshot. */
export const readLogCommand = fc
  .record({
    log: fc.constantFrom('history', 'journal'),
    partition: tenants,
    after: fc.integer({ min: 0, max: 4 }),
    take: fc.integer({ min: 0, max: 4 }),
    counter: counters,
  })
  .map(
    ({ counter, ...read }): StoreCommand => ({
      check: () => true,
      async run({ model }, { held: { one: store } }) {
        const reads = [read, { counter }]
        const tenant = read.partition
        expectEqual(
          await store.read(tenant, reads),
          reads.map((one) => model.read(tenant, one)),
          'a log and a counter',
        )
      },
      toString: () => `read log ${fc.stringify(read)}`,
    }),
  )
