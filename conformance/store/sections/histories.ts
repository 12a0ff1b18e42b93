import type { Collection, Value } from '@countersign/core/ports'
import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { generated } from '../../generated.ts'
import { declared } from '../collections.ts'
import { type Modelled, type Real, storeCommands } from '../commands/index.ts'
import { everything } from '../everything.ts'
import { createStoreModel } from '../model.ts'
import type { Section } from '../section.ts'

/** Generated histories: every command behaves as the model's, and in the end so does everything that is there. */
export function histories({ options, use }: Section): void {
  const { reopen, inspect, test, runs = 100, seed } = options
  test('store: every history goes as the model says', {}, () =>
    fc.assert(
      fc.asyncProperty(fc.commands(storeCommands, { maxCommands: 40, size: 'max' }), (commands) =>
        use(async (held) => {
          const real: Real = { held, reopen }
          const modelled: Modelled = { model: createStoreModel() }
          await fc.asyncModelRun(() => ({ model: modelled, real }), commands)
          expectEqual(await everything(held.one, modelled.model), [], 'differences in the end')
          if (inspect)
            for (const collection of declared.collections) {
              const { bytes } = collection
              expectEqual(
                await inspect(held.one, collection),
                modelled.model.rows(collection.name).map(({ row, version, leasedBy }) => ({
                  columns: columnsOf(collection, row),
                  bytes: bytes ? (row[bytes] ?? null) : null,
                  version,
                  leasedBy,
                })),
                `the raw rows of ${collection.name}`,
              )
            }
        }),
      ),
      generated(runs, seed),
    ),
  )
}

function columnsOf(
  collection: Collection,
  row: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.keys(collection.columns).map((name) => [name, row[name] ?? null]),
  )
}
