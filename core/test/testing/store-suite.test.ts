import { test } from 'node:test'
import { storeSuite } from '@countersign/conformance/store'
import { createMemoryStore, type MemoryStore } from '@countersign/core/testing'

const open = new WeakMap<object, MemoryStore>()
const keep = (store: MemoryStore) => {
  open.set(store, store)
  return store
}

storeSuite({
  test,
  create: async (declared) => keep(createMemoryStore(declared)),
  reopen: async (store) => {
    const memory = open.get(store)
    if (!memory) throw new Error('not a store of this test')
    return keep(memory.reopen())
  },
  inspect: async (store, collection) =>
    (open.get(store)?.rows(collection) ?? []).map(({ row, version, leasedBy }) => {
      const columns = Object.keys(collection.columns).map((name) => [name, row[name]])
      const bytes = collection.bytes ? row[collection.bytes] : null
      return {
        columns: Object.fromEntries(columns),
        bytes: bytes instanceof Uint8Array ? bytes : null,
        version,
        leasedBy,
      }
    }),
  supports: {
    sharing: 'memory belongs to one process',
    shredding: 'memory has no files',
  },
})
