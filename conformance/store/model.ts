import type {
  ChangeSet,
  Collection,
  CommitOutcome,
  Conflict,
  Found,
  Key,
  Lane,
  LogEntry,
  Read,
  Store,
  Value,
  Versioned,
} from '@countersign/core/ports'
import { chainHash, chainStart } from '@countersign/core/store-kit'
import { declared } from './collections.ts'
import { compareRows, compareValues, matches } from './order.ts'

export type Row = Readonly<Record<string, Value>>

interface Kept {
  readonly row: Row
  readonly version: number
  readonly leasedBy: string | null
}

interface State {
  readonly rows: Map<string, Kept[]>
  readonly counters: Map<string, number>
  readonly logs: Map<string, LogEntry[]>
}

/** The store as its port describes it, written for reading: arrays and loops, no index, no promise. */
export interface StoreModel {
  read(tenant: string | null, read: Read): Found
  commit(set: ChangeSet): CommitOutcome
  lanes(query: Parameters<Store['lanes']>[0]): readonly Lane[]
  nextDue(name: string): number | null
  claim(query: Parameters<Store['claim']>[0]): readonly Versioned[]
  /** The row as the system sees it. */
  seen(name: string, key: Key): Versioned | null
  rows(name: string): readonly Kept[]
  counters(): ReadonlyMap<string, number>
  copy(): StoreModel
}

function collection(name: string): Collection {
  const found = declared.collections.find((one) => one.name === name)
  if (!found) throw new Error(`no collection ${name}`)
  return found
}

const keyOf = (of: Collection, row: Row): Key =>
  of.key.map((column) => row[column] ?? null) as unknown as Key
const hasKey = (of: Collection, row: Row, key: Key): boolean =>
  of.key.every((column, at) => (row[column] ?? null) === key[at])

const copyState = (state: State): State => ({
  rows: new Map([...state.rows].map(([name, rows]) => [name, [...rows]])),
  counters: new Map(state.counters),
  logs: new Map([...state.logs].map(([name, entries]) => [name, [...entries]])),
})

export function createStoreModel(begin?: State): StoreModel {
  let state: State = begin ?? {
    rows: new Map(declared.collections.map(({ name }) => [name, []])),
    counters: new Map(),
    logs: new Map(),
  }

  const rowsOf = (name: string, from = state): Kept[] => from.rows.get(name) ?? []

  const mine = (tenant: string | null, of: Collection, { row }: Kept): boolean =>
    tenant === null || of.tenant === 'system' || row[of.tenant] === tenant

  function find(name: string, key: Key, from = state): Kept | undefined {
    const of = collection(name)
    return rowsOf(name, from).find(({ row }) => hasKey(of, row, key))
  }

  function versionFor(tenant: string | null, name: string, key: Key): number {
    const found = find(name, key)
    return found && mine(tenant, collection(name), found) ? found.version : 0
  }

  function moved(set: ChangeSet): Conflict[] {
    const conflicts: Conflict[] = []
    const judge = (name: string, key: Key, version: number, writes: boolean) => {
      const now = versionFor(set.tenant, name, key)
      const blocked = writes && version === 0 && find(name, key) !== undefined
      if (now !== version || blocked) conflicts.push({ kind: 'version', in: name, key, now })
    }
    for (const check of set.checks ?? []) judge(check.in, check.key, check.version, false)
    for (const put of set.puts ?? [])
      judge(put.in, keyOf(collection(put.in), put.row as Row), put.was?.version ?? 0, true)
    for (const remove of set.removes ?? []) judge(remove.in, remove.key, remove.version, true)
    return conflicts
  }

  function drop(draft: State, name: string, key: Key): void {
    const of = collection(name)
    draft.rows.set(
      name,
      rowsOf(name, draft).filter(({ row }) => !hasKey(of, row, key)),
    )
  }

  function clash(draft: State, tenant: string | null, of: Collection, row: Row): Conflict | null {
    for (const [name, { on, when }] of Object.entries(of.unique ?? {})) {
      const takesPart = (one: Row) =>
        (!when || one[when.column] === when.is) && on.every((column) => one[column] !== null)
      if (!takesPart(row)) continue
      const other = rowsOf(of.name, draft).find(
        (kept) =>
          takesPart(kept.row) &&
          on.every((column) => kept.row[column] === row[column]) &&
          !hasKey(of, kept.row, keyOf(of, row)),
      )
      if (other) {
        const key = keyOf(of, mine(tenant, of, other) ? other.row : row)
        return { kind: 'unique', in: of.name, name, key }
      }
    }
    return null
  }

  function commit(set: ChangeSet): CommitOutcome {
    const [first, ...rest] = moved(set)
    if (first) return { committed: false, conflicts: [first, ...rest] }
    const draft = copyState(state)
    for (const remove of set.removes ?? []) drop(draft, remove.in, remove.key)
    for (const put of set.puts ?? []) {
      const of = collection(put.in)
      const row = structuredClone(put.row) as Row
      const conflict = clash(draft, set.tenant, of, row)
      if (conflict) return { committed: false, conflicts: [conflict] }
      drop(draft, put.in, keyOf(of, row))
      rowsOf(put.in, draft).push({
        row,
        version: (put.was?.version ?? 0) + 1,
        leasedBy: put.leasedBy ?? null,
      })
    }
    const ranges = (set.ranges ?? []).map(({ in: name, where, after, window }) => {
      const of = collection(name)
      const gone = rowsOf(name, draft)
        .filter((kept) => mine(set.tenant, of, kept) && matches(kept.row, where))
        .sort((a, b) => compareRows(of.key, a.row, b.row))
        .filter(({ row }) => !after || compareKeys(keyOf(of, row), after) > 0)
        .slice(0, window)
      for (const { row } of gone) drop(draft, name, keyOf(of, row))
      const last = gone.at(-1)
      return {
        removed: gone.length,
        next: last && gone.length === window ? keyOf(of, last.row) : null,
      }
    })
    for (const { counter, delta } of set.adds ?? [])
      draft.counters.set(counter, (draft.counters.get(counter) ?? 0) + delta)
    for (const { log, partition, entry } of set.appends ?? []) {
      const name = JSON.stringify([log, partition])
      const entries = draft.logs.get(name) ?? []
      const hash = chainHash(entries.at(-1)?.hash ?? chainStart, entry)
      draft.logs.set(name, [...entries, { position: entries.length + 1, entry, hash }])
    }
    state = draft
    return { committed: true, ranges }
  }

  function read(tenant: string | null, asked: Read): Found {
    if ('get' in asked) {
      const found = find(asked.get, asked.key)
      const told = found && mine(tenant, collection(asked.get), found) ? [found] : []
      return { rows: told, total: null }
    }
    if ('counter' in asked) return { rows: [], total: state.counters.get(asked.counter) ?? 0 }
    if ('log' in asked) {
      const entries = state.logs.get(JSON.stringify([asked.log, asked.partition])) ?? []
      const rows = entries
        .slice(asked.after, asked.after + asked.take)
        .map((row) => ({ row, version: row.position, leasedBy: null }))
      return { rows, total: entries.length }
    }
    const of = collection(asked.list)
    const order = [...(asked.by === 'key' ? [] : (of.indexes[asked.by] ?? [])), ...of.key]
    const all = rowsOf(asked.list)
      .filter((kept) => mine(tenant, of, kept) && matches(kept.row, asked.where))
      .sort((a, b) => compareRows(order, a.row, b.row) * (asked.newest ? -1 : 1))
    return {
      rows: all.slice(asked.skip, asked.skip + asked.take),
      total:
        asked.count === false
          ? null
          : asked.count === true
            ? all.length
            : Math.min(all.length, asked.count),
    }
  }

  function waiting(name: string) {
    const { queue, tenant, key } = collection(name)
    if (!queue) throw new Error(`${name} is no queue`)
    const due = rowsOf(name).filter(({ row }) => row[queue.due] !== null)
    return { queue, tenant, key, due }
  }

  return {
    read,
    commit,
    lanes({ in: name, now, after, take }) {
      const { queue, tenant, key, due } = waiting(name)
      const first = new Map<string, Kept>()
      for (const kept of due.sort((a, b) => compareRows([queue.due, ...key], a.row, b.row))) {
        const lane = String(kept.row[queue.lane])
        if (!first.has(lane)) first.set(lane, kept)
      }
      return [...first]
        .filter(
          ([lane, { row }]) => compareValues(lane, after) > 0 && Number(row[queue.due]) <= now,
        )
        .sort(([a], [b]) => compareValues(a, b))
        .slice(0, take)
        .map(([lane, { row }]) => ({
          lane,
          tenant: tenant === 'system' ? null : String(row[tenant]),
          due: Number(row[queue.due]),
        }))
    },
    nextDue(name) {
      const { queue, due } = waiting(name)
      return due.length ? Math.min(...due.map(({ row }) => Number(row[queue.due]))) : null
    },
    claim({ in: name, asks, now, leaseUntil, owner }) {
      const of = collection(name)
      const taken: Kept[] = []
      for (const { lane, take } of asks) {
        const { queue, due } = waiting(name)
        const ready = due
          .filter(({ row }) => row[queue.lane] === lane && Number(row[queue.due]) <= now)
          .sort((a, b) => compareRows([queue.due, ...of.key], a.row, b.row))
          .slice(0, take)
        for (const { row, version } of ready) {
          const claims = Number(row[queue.claims]) + 1
          const after = {
            row: { ...row, [queue.due]: leaseUntil, [queue.claims]: claims },
            version: version + 1,
            leasedBy: owner,
          }
          drop(state, name, keyOf(of, row))
          rowsOf(name).push(after)
          taken.push(after)
        }
      }
      return taken
    },
    seen: (name, key) => find(name, key) ?? null,
    rows: (name) =>
      [...rowsOf(name)].sort((a, b) => compareRows(collection(name).key, a.row, b.row)),
    counters: () => state.counters,
    copy: () => createStoreModel(copyState(state)),
  }
}

function compareKeys(a: Key, b: Key): number {
  for (const [at, value] of a.entries()) {
    const order = compareValues(value, b[at] ?? null)
    if (order !== 0) return order
  }
  return 0
}
