import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { lanes, moments } from '../arbitraries.ts'
import type { StoreCommand } from './command.ts'

/** Asks which lanes have due work behind a cursor, and when the next work is due. */
export const lanesCommand = fc
  .record({
    now: moments,
    after: fc.oneof(fc.constant(''), lanes),
    take: fc.integer({ min: 1, max: 5 }),
  })
  .map(
    (asked): StoreCommand => ({
      check: () => true,
      async run({ model }, { held: { one: store } }) {
        const query = { in: 'jobs', ...asked }
        expectEqual(await store.lanes(query), model.lanes(query), 'lanes')
        expectEqual(await store.nextDue({ in: 'jobs' }), model.nextDue('jobs'), 'next due')
      },
      toString: () => `lanes ${fc.stringify(asked)}`,
    }),
  )
