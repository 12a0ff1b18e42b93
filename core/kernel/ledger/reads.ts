import type {
  ChangeSet,
  Check,
  Collection,
  Found,
  Key,
  Put,
  Read,
  Versioned,
  Where,
} from '../../base/ports/store.ts'
import { keyOf } from '../../base/store-kit/key-of.ts'

/** The take of a list that a limit of what an organization has keeps short: nothing of it may be left out. */
export const everyRow: number = 2 ** 31 - 1

/** Reads one row by its key. */
export function get<R extends object>(collection: Collection<R>, key: Key): Read {
  return { get: collection.name, key }
}

/** Reads rows in the order of an index (or `key`). */
export function list<R extends object>(
  collection: Collection<R>,
  query: {
    readonly where: Where
    readonly by?: string
    readonly newest?: boolean
    readonly skip?: number
    readonly take: number
    readonly count?: boolean | number
  },
): Read {
  return {
    list: collection.name,
    where: query.where,
    by: query.by ?? 'key',
    newest: query.newest ?? false,
    skip: query.skip ?? 0,
    take: query.take,
    count: query.count ?? false,
  }
}

/** The one row of an answer, typed by its collection. */
export function one<R extends object>(
  _collection: Collection<R>,
  found: Found | undefined,
): Versioned<R> | null {
  return (found?.rows[0] as Versioned<R> | undefined) ?? null
}

/** The rows of an answer, typed by their collection. */
export function many<R extends object>(
  _collection: Collection<R>,
  found: Found | undefined,
): readonly Versioned<R>[] {
  return (found?.rows ?? []) as readonly Versioned<R>[]
}

/** Takes the answers of a read in turn, so many at a time, as the read asked for them. */
export function inTurn(found: readonly Found[]): (count: number) => readonly Found[] {
  let at = 0
  return (count) => {
    at += count
    return found.slice(at - count, at)
  }
}

/** The check that a row is still as it was read. */
export function unchanged<R extends object>(
  collection: Collection<R>,
  { row, version }: Versioned<R>,
): Check {
  return { in: collection.name, key: keyOf(collection as unknown as Collection, row), version }
}

/** The removals of rows as they were read, for a change set. */
export function removalsOf<R extends object>(
  collection: Collection<R>,
  rows: readonly Versioned<R>[],
): NonNullable<ChangeSet['removes']> {
  return rows.map((was) => unchanged(collection, was))
}

/** Writes a row: `was` null creates it. */
export function put<R extends object>(
  collection: Collection<R>,
  row: NoInfer<R>,
  was: Versioned<NoInfer<R>> | null,
  leasedBy?: string,
): Put {
  return leasedBy === undefined
    ? { in: collection.name, row, was }
    : { in: collection.name, row, was, leasedBy }
}
