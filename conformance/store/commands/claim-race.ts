import fc from 'fast-check'
import { expect, expectEqual } from '../../assert.ts'
import { lanes, moments } from '../arbitraries.ts'
import { everything } from '../everything.ts'
import type { StoreCommand } from './command.ts'

/** Two owners claim the same lane at once: together they get what one would, and no row twice. */
export const claimRaceCommand = fc
  .record({ lane: lanes, now: moments, take: fc.integer({ min: 1, max: 3 }) })
  .map(({ lane, now, take }): StoreCommand => {
    const query = { in: 'jobs', asks: [{ lane, take }], now, leaseUntil: now + 3 }
    return {
      check: () => true,
      async run(modelled, { held: { one: store } }) {
        const [one, two] = await Promise.all([
          store.claim({ ...query, owner: 'one' }),
          store.claim({ ...query, owner: 'two' }),
        ])
        for (const [first, second, owner, other] of [
          [one, two, 'one', 'two'],
          [two, one, 'two', 'one'],
        ] as const) {
          const model = modelled.model.copy()
          const told = [model.claim({ ...query, owner }), model.claim({ ...query, owner: other })]
          if ((await everything(store, model)).length === 0) {
            expectEqual([first, second], told, 'rows claimed in a race')
            modelled.model = model
            return
          }
        }
        expect(false, 'no order of two racing claims explains the rows that they left')
      },
      toString: () => `claim race ${fc.stringify(query)}`,
    }
  })
