import type {
  ChangeSet,
  Collection,
  Conflict,
  Found,
  Key,
  Log,
  LogEntry,
  Outcome,
  Read,
  Store,
  Versioned,
} from '../ports/store.ts'
import { StoreError } from '../ports/store-error.ts'
import { createStoreRules } from '../ports/store-rules.ts'
import { type Cell, createTable, makeCell, type Table } from './memory-table.ts'
import { give, keep, sameData } from './plain-data.ts'

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

export interface MemoryStore extends Store {
  /** Every row of a collection in key order, for a test's own oracle; works after `close` too. */
  rows<R extends object>(collection: Collection<R>): readonly Versioned<R>[]
  counters(): ReadonlyMap<string, number>
  /** The entries of a log by partition. */
  entries(log: Log): ReadonlyMap<string, readonly LogEntry[]>
  /** The same data behind a new store: what a restarted process finds. The old one is closed. */
  reopen(faults?: StoreFaults): MemoryStore
}

type Query<N extends 'lanes' | 'claim'> = Parameters<Store[N]>[0]

interface Contents {
  readonly tables: ReadonlyMap<string, Table>
  readonly counters: Map<string, number>
  readonly logs: ReadonlyMap<string, Map<string, LogEntry[]>>
}

const noHash = new Uint8Array(32)

/** The whole store port in memory: for tests and the simulator, deterministic, nothing durable. */
export function createMemoryStore(options: {
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  readonly faults?: StoreFaults
}): MemoryStore {
  return openMemory(options, options.faults, {
    tables: new Map(options.collections.map((each) => [each.name, createTable(each)])),
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
  const { tables, counters, logs } = contents
  let closed = false

  function table(name: string): Table {
    const found = tables.get(name)
    if (!found) throw new StoreError('malformed', `no collection ${JSON.stringify(name)}`)
    return found
  }

  /** The row, unless it is another tenant's, which is as good as absent. */
  function visible(tenant: string | null, of: Table, cell: Cell | undefined): Cell | undefined {
    const column = of.collection.tenant
    if (!cell || tenant === null || column === 'system') return cell
    return cell.row[column] === tenant ? cell : undefined
  }

  const tell = ({ row, version, leasedBy }: Cell): Versioned => ({
    row: give(row),
    version,
    leasedBy,
  })

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
    for (const cell of of.scan(where, read.by, read.newest)) {
      if (total >= read.skip && rows.length < read.take) rows.push(tell(cell))
      else if (!read.count && rows.length >= read.take) break
      total++
    }
    return { rows, total: read.count ? total : null }
  }

  function movedVersions(set: ChangeSet): Conflict[] {
    const conflicts: Conflict[] = []
    const judge = (name: string, key: Key, expected: number) => {
      const of = table(name)
      const held = of.get(key)
      const now = visible(set.tenant, of, held)?.version ?? 0
      // A foreign row in the way of a new one is told as absent, yet it can't be written over.
      if (now !== expected || (expected === 0 && held !== undefined && now === 0))
        conflicts.push({ kind: 'version', in: name, key, now })
    }
    for (const { in: name, key, version } of set.checks ?? []) {
      const of = table(name)
      const now = visible(set.tenant, of, of.get(key))?.version ?? 0
      if (now !== version) conflicts.push({ kind: 'version', in: name, key, now })
    }
    for (const put of set.puts ?? []) {
      const { key } = makeCell(table(put.in).collection, {
        row: put.row,
        version: 0,
        leasedBy: null,
      })
      judge(put.in, key, put.was?.version ?? 0)
    }
    for (const remove of set.removes ?? []) judge(remove.in, remove.key, remove.version)
    return conflicts
  }

  /** Applies a set whose versions hold; `undo` collects how to take it back. */
  function apply(set: ChangeSet, undo: (() => void)[]): Outcome {
    const swap = (of: Table, before: Cell | undefined, after: Cell | undefined) => {
      of.swap(before, after)
      undo.push(() => of.swap(after, before))
    }
    for (const remove of set.removes ?? []) {
      const of = table(remove.in)
      swap(of, of.get(remove.key), undefined)
    }
    for (const put of set.puts ?? []) {
      const of = table(put.in)
      const made = makeCell(of.collection, {
        row: keep(put.row),
        version: (put.was?.version ?? 0) + 1,
        leasedBy: put.leasedBy ?? null,
      })
      const before = of.get(made.key)
      if (before && !sameData(before.row, put.was?.row))
        throw new StoreError(
          'malformed',
          `a put into ${put.in}: the row given as seen is not the row of version ${before.version}`,
        )
      const clash = of.clash(made)
      if (clash) {
        const { key } = visible(set.tenant, of, clash.holder) ?? made
        return {
          committed: false,
          conflicts: [{ kind: 'unique', in: put.in, name: clash.name, key }],
        }
      }
      swap(of, before, made)
    }
    const ranges = (set.ranges ?? []).map((range) => {
      const of = table(range.in)
      const found: Cell[] = []
      for (const cell of of.scan(range.where, 'key', false, range.after ?? undefined)) {
        if (!visible(set.tenant, of, cell)) continue
        found.push(cell)
        if (found.length === range.window) break
      }
      for (const cell of found) swap(of, cell, undefined)
      return {
        removed: found.length,
        next: found.length === range.window ? (found.at(-1)?.key ?? null) : null,
      }
    })
    for (const { counter, delta } of set.adds ?? []) {
      const was = counters.get(counter)
      const sum = (was ?? 0) + delta
      if (!Number.isSafeInteger(sum))
        throw new StoreError('malformed', `counter ${JSON.stringify(counter)} would leave 2^53`)
      counters.set(counter, sum)
      undo.push(() => (was === undefined ? counters.delete(counter) : counters.set(counter, was)))
    }
    for (const { log, partition, entry } of set.appends ?? []) {
      const partitions = logs.get(log)
      const entries = partitions?.get(partition) ?? []
      partitions?.set(partition, entries)
      const hash = rules.log(log).link(entries.at(-1)?.hash ?? noHash, entry)
      entries.push(keep({ position: entries.length + 1, entry, hash }))
      undo.push(() => entries.pop())
    }
    return { committed: true, ranges }
  }

  function commitNow(set: ChangeSet): Outcome {
    const [first, ...rest] = movedVersions(set)
    if (first) return { committed: false, conflicts: [first, ...rest] }
    const undo: (() => void)[] = []
    let outcome: Outcome | undefined
    try {
      outcome = apply(set, undo)
      return outcome
    } finally {
      if (!outcome?.committed) for (const step of undo.reverse()) step()
    }
  }

  function claimNow(query: Query<'claim'>): readonly Versioned[] {
    const { queue } = rules.queue(query.in)
    const of = table(query.in)
    return query.asks.flatMap(({ lane, take }) => {
      const found: Cell[] = []
      for (const cell of of.due(lane, query.now)) {
        if (found.length >= take) break
        found.push(cell)
      }
      return found.map((cell) => {
        const after = makeCell(of.collection, {
          row: keep({
            ...cell.row,
            [queue.due]: query.leaseUntil,
            [queue.claims]: Number(cell.row[queue.claims] ?? 0) + 1,
          }),
          version: cell.version + 1,
          leasedBy: query.owner,
        })
        of.swap(cell, after)
        return tell(after)
      })
    })
  }

  function lanesNow(query: Query<'lanes'>) {
    const { queue, tenant } = rules.queue(query.in)
    const found = []
    let cell = table(query.in).firstDue(query.after, false)
    while (cell && found.length < query.take) {
      const lane = String(cell.row[queue.lane])
      const due = Number(cell.row[queue.due])
      const owner = tenant === 'system' ? null : (cell.row[tenant] as string | null)
      if (due <= query.now) found.push({ lane, tenant: owner, due })
      cell = table(query.in).firstDue(lane, false)
    }
    return found
  }

  function nextDueNow(name: string): number | null {
    const { queue } = rules.queue(name)
    let least: number | null = null
    let cell = table(name).firstDue('', true)
    while (cell) {
      least = Math.min(least ?? Number.POSITIVE_INFINITY, Number(cell.row[queue.due]))
      cell = table(name).firstDue(String(cell.row[queue.lane]), false)
    }
    return least
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
    lanes: (query) => look({ kind: 'lanes', query }, () => lanesNow(query)),
    nextDue: (query) => look({ kind: 'nextDue', query }, () => nextDueNow(query.in)),
    claim: (query) =>
      write({ kind: 'claim', query }, () => {
        rules.checkClaim(query)
        return claimNow(query)
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
