import { StoreError } from '../base/errors/store-error.ts'
import type {
  ChangeSet,
  Collection,
  Found,
  Log,
  LogEntry,
  Read,
  Store,
  Versioned,
} from '../base/ports/store.ts'
import { createStoreRules } from '../base/store-kit/rules.ts'
import { createCommit } from './memory-commit.ts'
import { type Contents, tableOf, tell, visible } from './memory-contents.ts'
import { createQueues } from './memory-queue.ts'
import { give } from './plain-data.ts'

/** One call of the store, as a fault hook sees it. */
export type StoreOperation =
  | { readonly kind: 'read'; readonly tenant: string | null; readonly reads: readonly Read[] }
  | { readonly kind: 'commit'; readonly set: ChangeSet }
  | { readonly kind: 'lanes'; readonly query: Parameters<Store['lanes']>[0] }
  | { readonly kind: 'nextDue'; readonly query: Parameters<Store['nextDue']>[0] }
  | { readonly kind: 'claim'; readonly query: Parameters<Store['claim']>[0] }
  | { readonly kind: 'scrub' }

/** Reads and look-ups pass `before` alone; what writes passes all three. */
export type StorePoint = 'before' | 'before_commit' | 'after_commit'

/** A throw (or rejection) is what the caller gets: at `after_commit` the write has happened all the same. A promise delays. */
export type StoreFaults = (point: StorePoint, operation: StoreOperation) => void | Promise<void>

/** A store in memory, for tests. */
export interface MemoryStore extends Store {
  /** Every row of a collection in key order, for a test's own oracle; works after `close` too. */
  rows<R extends object>(collection: Collection<R>): readonly Versioned<R>[]
  counters(): ReadonlyMap<string, number>
  /** The entries of a log by partition. */
  entries(log: Log): ReadonlyMap<string, readonly LogEntry[]>
  /** The same data behind a new store: what a restarted process finds. The old one is closed. */
  reopen(faults?: StoreFaults): MemoryStore
}

/**
 * The whole store port in memory: for tests and the simulator, deterministic, nothing durable.
 *
 * @example
 * ```ts
 * import { collections, logs } from '@countersign/core'
 * import { createMemoryStore } from '@countersign/core/testing'
 *
 * const store = createMemoryStore({ collections, logs })
 * const restarted = store.reopen() // with the same data
 * ```
 */
export function createMemoryStore(options: {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  readonly faults?: StoreFaults
}): MemoryStore {
  return openMemory(options, options.faults, {
    collections: new Map(options.collections.map((each) => [each.name, each])),
    tables: new Map(),
    counters: new Map(),
    logs: new Map(options.logs.map((log) => [log.name, new Map<string, LogEntry[]>()])),
  })
}

function openMemory(
  declared: { readonly collections: readonly Collection[]; readonly logs: readonly Log[] },
  faults: StoreFaults | undefined,
  contents: Contents,
): MemoryStore {
  const rules = createStoreRules(declared)
  const { counters, logs } = contents
  const commitNow = createCommit(contents)
  const queues = createQueues(contents, rules)
  const table = (name: string) => tableOf(contents, name)
  let closed = false

  function answer(tenant: string | null, read: Read): Found {
    if ('get' in read) {
      const of = table(read.get)
      const cell = visible(tenant, of, of.get(read.key))
      return { rows: cell ? [tell(cell)] : [], total: null }
    }
    if ('counter' in read) return { rows: [], total: counters.get(read.counter) ?? 0 }
    if ('log' in read) {
      const entries = logs.get(read.log)?.get(read.partition) ?? []
      const rows = entries
        .slice(read.after, read.after + read.take)
        .map((entry) => ({ row: give(entry), version: entry.position, leasedBy: null }))
      return { rows, total: entries.length }
    }
    const of = table(read.list)
    const column = of.collection.tenant
    const where =
      tenant === null || column === 'system'
        ? read.where
        : ([...read.where, [column, '=', tenant]] as const)
    const rows: Versioned[] = []
    let total = 0
    const most = read.count === true ? Number.POSITIVE_INFINITY : Number(read.count)
    for (const cell of of.scan(where, read.by, read.newest)) {
      if (total >= read.skip && rows.length < read.take) rows.push(tell(cell))
      else if (total >= most && rows.length >= read.take) break
      total++
    }
    return { rows, total: read.count === false ? null : Math.min(total, most) }
  }

  function open(): void {
    if (closed) throw new StoreError('closed', 'the store is closed')
  }

  async function look<T>(operation: StoreOperation, run: () => T): Promise<T> {
    open()
    await faults?.('before', operation)
    return run()
  }

  async function write<T>(operation: StoreOperation, run: () => T): Promise<T> {
    open()
    await faults?.('before', operation)
    await faults?.('before_commit', operation)
    const made = run()
    await faults?.('after_commit', operation)
    return made
  }

  return {
    read: (tenant, reads) =>
      look({ kind: 'read', tenant, reads }, () => {
        rules.checkReads(tenant, reads)
        return reads.map((read) => answer(tenant, read))
      }),
    commit: (set) =>
      write({ kind: 'commit', set }, () => {
        rules.checkSet(set)
        return commitNow(set)
      }),
    lanes: (query) => look({ kind: 'lanes', query }, () => queues.lanes(query)),
    nextDue: (query) => look({ kind: 'nextDue', query }, () => queues.nextDue(query.in)),
    claim: (query) =>
      write({ kind: 'claim', query }, () => {
        rules.checkClaim(query)
        return queues.claim(query)
      }),
    scrub: () => write({ kind: 'scrub' }, () => {}),
    close: async () => {
      closed = true
    },
    rows: <R extends object>(collection: Collection<R>) =>
      [...table(collection.name).all()].map(tell) as unknown as readonly Versioned<R>[],
    counters: () => new Map(counters),
    entries: (log) => new Map([...(logs.get(log.name) ?? [])].map(([at, made]) => [at, [...made]])),
    reopen: (next) => {
      closed = true
      return openMemory(declared, next, contents)
    },
  }
}
