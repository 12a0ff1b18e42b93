import { collections } from '@countersign/core'
import { openedTexts } from '@countersign/core/internal'
import type { ChangeSet, Collection, Key, Store, Versioned } from '@countersign/core/ports'
import { sealer } from './machine.ts'

/** A row as one commit or claim found and left it; null is absent. */
export interface Transition<R extends object = object> {
  readonly in: string
  readonly key: string
  readonly before: Versioned<R> | null
  readonly after: Versioned<R> | null
}

export interface Committed {
  /** The process that asked. */
  readonly by: string
  readonly set: ChangeSet
  readonly transitions: readonly Transition[]
}

/** What the store was told, in the order of its commits, kept apart from the store that is under test. */
export interface Truth {
  /** The rows of a collection by `keyText`. */
  rows<R extends object>(collection: Collection<R>): ReadonlyMap<string, Versioned<R>>
  /** 0 for a row that is absent. */
  version(collection: string, key: Key): number
  /** Queue rows of tenants that still have a due time. */
  readonly waiting: number
  readonly commits: number
}

export interface Watcher {
  /** Before the rows of `truth` move; what is wrong is told to the caller's own list. */
  committing(committed: Committed): void
  claimed(transitions: readonly Transition[], by: string): void
  /** Rows that a read without tenant brought: how processes learn where deliveries go. */
  read(rows: readonly Versioned[], of: string, by: string): void
}

export function keyText(key: Key): string {
  return key.length === 1 ? String(key[0]) : JSON.stringify(key)
}

type Table = Map<string, Versioned>

/** Kinds of periodic work; such an item stays as long as its application or organization. */
const periodic: readonly string[] = ['application.governance', 'organization.judgement']

const byName = new Map<string, Collection>(
  collections.map((one) => [one.name, one as unknown as Collection]),
)

function declared(name: string): Collection {
  const found = byName.get(name)
  if (!found) throw new Error(`no collection ${JSON.stringify(name)}`)
  return found
}

function keyOfRow(name: string, row: object): string {
  const values = declared(name).key.map((column) => Reflect.get(row, column))
  return keyText(values as unknown as Key)
}

export interface WatchedStore {
  readonly truth: Truth
  /** The store as one process sees it. */
  as(by: string): Store
}

/** Stands between processes and the store under test, and keeps a model of its own of what was committed. */
export function watchStore(store: Store, watcher: Watcher): WatchedStore {
  const tables = new Map<string, Table>([...byName.keys()].map((name) => [name, new Map()]))
  let waiting = 0
  let commits = 0

  function table(name: string): Table {
    const found = tables.get(name)
    if (!found) throw new Error(`no collection ${JSON.stringify(name)}`)
    return found
  }

  const dueOf = (name: string, row: Versioned | null | undefined): unknown => {
    const { queue, tenant } = declared(name)
    if (!queue || !row) return null
    if (periodic.includes(String(Reflect.get(row.row as object, 'kind')))) return null
    // What the system does again and again for itself never ends.
    const owner = tenant === 'system' ? null : Reflect.get(row.row as object, tenant)
    return owner === null ? null : Reflect.get(row.row as object, queue.due)
  }

  function transitionsOf(set: ChangeSet): Transition[] {
    const removes = (set.removes ?? []).map((remove): Transition => {
      const key = keyText(remove.key)
      return { in: remove.in, key, before: found(remove.in, key), after: null }
    })
    const puts = (set.puts ?? []).map((put): Transition => {
      const key = keyOfRow(put.in, put.row)
      const before = found(put.in, key)
      const version = (before?.version ?? 0) + 1
      const row = openedTexts(declared(put.in), sealer, put.row as Record<string, unknown>)
      const after = { row, version, leasedBy: put.leasedBy ?? null }
      return { in: put.in, key, before, after }
    })
    return [...removes, ...puts]
  }

  function found(name: string, key: string): Versioned<object> | null {
    return (table(name).get(key) as Versioned<object> | undefined) ?? null
  }

  function move(transitions: readonly Transition[]): void {
    for (const { in: name, key, before, after } of transitions) {
      const had = dueOf(name, before) !== null
      const has = dueOf(name, after) !== null
      waiting += Number(has) - Number(had)
      if (after) table(name).set(key, after)
      else table(name).delete(key)
    }
  }

  return {
    truth: {
      rows: <R extends object>(collection: Collection<R>) =>
        table(collection.name) as ReadonlyMap<string, Versioned<R>>,
      version: (name, key) => table(name).get(keyText(key))?.version ?? 0,
      get waiting() {
        return waiting
      },
      get commits() {
        return commits
      },
    },
    as: (by) => ({
      async read(tenant, reads) {
        const answers = await store.read(tenant, reads)
        if (tenant === null)
          for (const [at, read] of reads.entries()) {
            const name = 'get' in read ? read.get : 'list' in read ? read.list : null
            if (name !== null) watcher.read(answers[at]?.rows ?? [], name, by)
          }
        return answers
      },
      async commit(set) {
        const outcome = await store.commit(set)
        if (!outcome.committed) return outcome
        const transitions = transitionsOf(set)
        watcher.committing({ by, set, transitions })
        move(transitions)
        commits++
        return outcome
      },
      lanes: (query) => store.lanes(query),
      nextDue: (query) => store.nextDue(query),
      async claim(query) {
        const rows = await store.claim(query)
        const transitions = rows.map((after): Transition => {
          const key = keyOfRow(query.in, after.row as object)
          return {
            in: query.in,
            key,
            before: found(query.in, key),
            after: after as Versioned<object>,
          }
        })
        watcher.claimed(transitions, by)
        move(transitions)
        return rows
      },
      scrub: () => store.scrub(),
      close: () => store.close(),
    }),
  }
}

/** The transitions of one collection, typed by it. */
export function of<R extends object>(
  collection: Collection<R>,
  transitions: readonly Transition[],
): readonly Transition<R>[] {
  return transitions.filter(
    (one) => one.in === collection.name,
  ) as unknown as readonly Transition<R>[]
}
