import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { keys, tenants } from '../arbitraries.ts'
import type { StoreCommand } from './command.ts'

/** Reads rows by key, as the system and as a tenant, who sees nobody else's. */
export const getCommand = fc
  .record({
    tenant: fc.option(tenants),
    asked: fc.array(keys, { minLength: 1, maxLength: 4 }),
  })
  .map(({ tenant, asked }): StoreCommand => {
    const reads = asked
      .filter(({ of }) => tenant === null || of !== 'settings')
      .map(({ of, key }) => ({ get: of, key }))
    return {
      check: () => true,
      async run({ model }, { held: { one: store } }) {
        expectEqual(
          await store.read(tenant, reads),
          reads.map((read) => model.read(tenant, read)),
          'gets',
        )
      },
      toString: () => `get ${fc.stringify({ tenant, reads })}`,
    }
  })
