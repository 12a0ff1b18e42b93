import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { lanes, moments } from '../arbitraries.ts'
import type { StoreCommand } from './command.ts'

/** Claims due rows: which, in what order, with what token. */
export const claimCommand = fc
  .record({
    asks: fc.uniqueArray(fc.record({ lane: lanes, take: fc.integer({ min: 0, max: 3 }) }), {
      selector: ({ lane }) => lane,
      maxLength: 4,
    }),
    now: moments,
    lease: fc.integer({ min: 1, max: 5 }),
    owner: fc.constantFrom('one', 'two'),
  })
  .map(({ asks, now, lease, owner }): StoreCommand => {
    const query = { in: 'jobs', asks, now, leaseUntil: now + lease, owner }
    return {
      check: () => true,
      async run({ model }, { held: { one: store } }) {
        expectEqual(await store.claim(query), model.claim(query), 'claimed rows')
      },
      toString: () => `claim ${fc.stringify(query)}`,
    }
  })
