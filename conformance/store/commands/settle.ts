import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { moments } from '../arbitraries.ts'
import type { Job } from '../collections.ts'
import type { StoreCommand } from './command.ts'

/** Settles a claimed row with its token: the write ends the lease, and so does a late one with an old token nothing. */
export const settleCommand = fc
  .record({
    at: fc.nat(),
    due: fc.option(moments),
    late: fc.boolean(),
    result: fc.option(fc.constantFrom('done', 'failed')),
  })
  .map(
    ({ at, due, late, result }): StoreCommand => ({
      check: ({ model }) => model.rows('jobs').some(({ leasedBy }) => leasedBy !== null),
      async run({ model }, { held: { one: store } }) {
        const leased = model.rows('jobs').filter(({ leasedBy }) => leasedBy !== null)
        const held = leased[at % leased.length]
        if (!held) return
        const job = held.row as unknown as Job
        const was = late && held.version > 1 ? { ...held, version: held.version - 1 } : held
        const set = { tenant: null, puts: [{ in: 'jobs', row: { ...job, due, result }, was }] }
        expectEqual(await store.commit(set), model.commit(set), 'the outcome of a settle')
      },
      toString: () => `settle ${fc.stringify({ at, due, late, result })}`,
    }),
  )
