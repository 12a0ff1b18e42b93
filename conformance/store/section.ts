import type { Collection, Log, Store, Value } from '@countersign/core/ports'
import type { RegisterTest, Supports } from '../register.ts'
import { needs } from '../register.ts'
import { declared, type Job, type Note } from './collections.ts'

/** The collections and logs that a store is opened over. */
export interface Declared {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
}

/** A row as it lies in the database, read past the store: the second oracle. */
export interface RawRow {
  readonly columns: Readonly<Record<string, Value>>
  readonly bytes: Uint8Array | null
  readonly version: number
  readonly leasedBy: string | null
}

/** Options of the store suite. */
export interface StoreSuiteOptions {
  readonly test: RegisterTest
  /** A fresh, empty store of its own with these collections and logs. */
  readonly create: (declared: Declared) => Promise<Store>
  /** What a restarted process finds: closes the given store and opens its data anew. */
  readonly reopen?: (store: Store) => Promise<Store>
  /** A second store on the same data, as another process would open it. */
  readonly join?: (store: Store) => Promise<Store>
  /** The rows of a collection in key order, read with other means than the store's. */
  readonly inspect?: (store: Store, collection: Collection) => Promise<readonly RawRow[]>
  /** Every file of the store, as bytes. */
  readonly dump?: (store: Store) => Promise<readonly Uint8Array[]>
  readonly supports?: Supports<StoreCapability>
  /** Histories to generate (default 100). */
  readonly runs?: number
}

/** Parts of the suite that a store may lack. */
export type StoreCapability = 'durability' | 'sharing' | 'inspection' | 'shredding'

/** What each section of the suite gets. */
export interface Section {
  /** A test with a store of its own, closed afterwards. */
  fresh(
    name: string,
    run: (store: Store) => Promise<void>,
    ...capabilities: readonly StoreCapability[]
  ): void
  readonly options: StoreSuiteOptions
}

export function createSection(options: StoreSuiteOptions): Section {
  const supports: Supports<StoreCapability> = {
    ...(options.reopen ? {} : { durability: 'the suite was given no reopen' }),
    ...(options.join ? {} : { sharing: 'the suite was given no join' }),
    ...(options.inspect ? {} : { inspection: 'the suite was given no inspect' }),
    ...(options.dump ? {} : { shredding: 'the suite was given no dump' }),
    ...options.supports,
  }
  return {
    options,
    fresh(name, run, ...capabilities) {
      options.test(`store: ${name}`, needs(supports, ...capabilities), async () => {
        const store = await options.create(declared)
        try {
          await run(store)
        } finally {
          await store.close()
        }
      })
    },
  }
}

export function note(noteId: string, more: Partial<Note> = {}): Note {
  return {
    tenantId: 't1',
    noteId,
    applicationId: null,
    rank: null,
    label: null,
    state: 'closed',
    tags: [],
    detail: null,
    content: null,
    ...more,
  }
}

export function job(lane: string, number: number, more: Partial<Job> = {}): Job {
  return { lane, number, tenantId: 't1', due: 0, claims: 0, result: null, ...more }
}
