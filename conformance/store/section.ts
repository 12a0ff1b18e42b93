import type { Collection, Log, Store, Value } from '@countersign/core/ports'
import { createProducts, type Held } from '../products.ts'
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
  /**
   * Empties the store, counters and logs included. Where it is given, `create` is called once for nearly all tests,
   * which take turns on that store: for a store that is slow to make. The last test closes it.
   */
  readonly reset?: (store: Store) => Promise<void>
  /** Histories to generate (default 100). */
  readonly runs?: number
  /** Where the histories start: the seed that a failure printed. */
  readonly seed?: number
}

type Capabilities = readonly StoreCapability[]

/** Parts of the suite that a store may lack. */
export type StoreCapability = 'durability' | 'sharing' | 'inspection' | 'shredding'

/** What each section of the suite gets. */
export interface Section {
  /** A test with an empty store. */
  fresh(name: string, run: (store: Store) => Promise<void>, ...capabilities: Capabilities): void
  /** The same for a test that closes its store, or opens it anew. */
  closing(name: string, run: (store: Store) => Promise<void>, ...capabilities: Capabilities): void
  /** Runs with an empty store outside `fresh`: once for each generated history. */
  use(run: (held: Held<Store>) => Promise<void>): Promise<void>
  /** The last test: closes the store that the others shared. */
  end(): void
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
  const create = () => options.create(declared)
  const shared = createProducts(create, options.reset)
  const own = createProducts(create, undefined)
  const register =
    ({ use }: typeof shared): Section['fresh'] =>
    (name, run, ...capabilities) =>
      void options.test(`store: ${name}`, needs(supports, ...capabilities), () =>
        use(({ one }) => run(one)),
      )
  return {
    options,
    fresh: register(shared),
    closing: register(own),
    use: shared.use,
    end() {
      if (options.reset) options.test('store: is closed', {}, shared.end)
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
