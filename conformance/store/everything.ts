import type { Read, Store } from '@countersign/core/ports'
import { same, show } from '../assert.ts'
import { declared } from './collections.ts'
import type { StoreModel } from './model.ts'

const all = { where: [], by: 'key', newest: false, skip: 0, take: 10_000, count: true } as const

const reads: readonly Read[] = [
  ...declared.collections.map(({ name }) => ({ list: name, ...all })),
  ...['quota t1', 'quota t2', 'all'].map((counter) => ({ counter })),
  ...declared.logs.flatMap(({ name }) =>
    ['t1', 't2'].map((partition) => ({ log: name, partition, after: 0, take: 10_000 })),
  ),
]

/** Reads the whole store and tells each difference from the model. */
export async function everything(store: Store, model: StoreModel): Promise<readonly string[]> {
  const found = await store.read(null, reads)
  return reads.flatMap((read, at) => {
    const expected = model.read(null, read)
    return same(found[at], expected)
      ? []
      : [`${show(read)}: expected ${show(expected)}, got ${show(found[at])}`]
  })
}
