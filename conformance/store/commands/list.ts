import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { noteConditions, tenants } from '../arbitraries.ts'
import type { StoreCommand } from './command.ts'

/** Lists rows by each index in either direction, in pages and with a count. */
export const listCommand = fc
  .record({
    tenant: fc.option(tenants),
    where: noteConditions,
    by: fc.constantFrom('key', 'byRank', 'byLabel', 'byApplication'),
    newest: fc.boolean(),
    skip: fc.constantFrom(0, 0, 1, 3),
    take: fc.constantFrom(0, 1, 2, 20),
    count: fc.boolean(),
  })
  .map(({ tenant, ...asked }): StoreCommand => {
    const read = { list: 'notes', ...asked }
    return {
      check: () => true,
      async run({ model }, { held: { one: store } }) {
        expectEqual(await store.read(tenant, [read]), [model.read(tenant, read)], 'a list')
      },
      toString: () => `list ${fc.stringify({ tenant, read })}`,
    }
  })
