import type { ChangeSet, Collection, Found, Read, Store, Versioned } from '@countersign/core/ports'
import { createMemoryStore } from '@countersign/core/testing'
import { declared } from '../../store/collections.ts'
import type { Change } from './host.ts'

/** Lets every other call go on: what a store that waits between its steps does. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Changes each set before it is committed. */
export const committing =
  (change: (set: ChangeSet, store: Store) => ChangeSet | Promise<ChangeSet>): Change =>
  (store) => ({ commit: async (set) => store.commit(await change(set, store)) })

type Part = 'checks' | 'puts' | 'removes' | 'ranges' | 'adds' | 'appends'

/** Drops a part of each set behind so many. */
export const cutting = (part: Part, most: number): Change =>
  committing((set) => ({ ...set, [part]: set[part]?.slice(0, most) }))

/** Changes each row that is read. */
export const telling = (change: (row: Versioned) => Versioned): Change =>
  answering((found) => ({ ...found, rows: found.rows.map(change) }))

/** Changes a member of each row that is read; absent members stay absent. */
export const tellingMember = (name: string, change: (value: unknown) => unknown): Change =>
  telling((told) => {
    const row = told.row as Readonly<Record<string, unknown>>
    return Object.hasOwn(row, name) ? { ...told, row: { ...row, [name]: change(row[name]) } } : told
  })

/** Changes each answer to a read. */
export const answering =
  (change: (found: Found, read: Read, at: number) => Found): Change =>
  (store) => ({
    read: async (tenant, reads) =>
      (await store.read(tenant, reads)).map((found, at) => {
        const read = reads[at]
        return read ? change(found, read, at) : found
      }),
  })

/** Changes each read before it is asked. */
export const asking =
  (change: (read: Read) => Read): Change =>
  (store) => ({ read: (tenant, reads) => store.read(tenant, reads.map(change)) })

/** Keeps other declarations than it was given. */
export const declaring =
  (change: (collection: Collection) => Collection): Change =>
  (_, { declared }) =>
    createMemoryStore({ collections: declared.collections.map(change), logs: declared.logs })

/** The whole of a collection as a tenant sees it. */
export const wholeOf = async (
  store: Store,
  tenant: string | null,
  name: string,
): Promise<readonly Versioned[]> => {
  const whole = { where: [], by: 'key', newest: false, skip: 0, take: 100_000, count: false }
  return (await store.read(tenant, [{ list: name, ...whole }]))[0]?.rows ?? []
}

/** Runs one call at a time. */
export function oneByOne(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const mine = last.then(run)
    last = mine.catch(() => {})
    return mine
  }
}

/** The keys of the suite's collections, which a broken store has to know before the sound one judges. */
export function collectionOf(name: string) {
  const found = declared.collections.find((one) => one.name === name)
  if (!found) throw new Error(`no collection ${name}`)
  return found
}
