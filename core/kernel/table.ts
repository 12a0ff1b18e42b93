import type {
  Collection,
  Found,
  Key,
  PurgeRule,
  RetainRule,
  Value,
  Versioned,
} from '../base/ports/store.ts'
import type { PageQuery } from './ledger/page.ts'
import { everyRow, list, many, one } from './ledger/reads.ts'
import { type Query, rowUnder } from './query.ts'
import type { Members, RowOf, RowsOf } from './shape.ts'

type Name<M> = keyof M & string
type Indexes<M> = Readonly<Record<string, readonly Name<M>[]>>

/** A table as it is declared: a collection but for its columns, which follow from key, indexes and rules. */
export interface Declared<M extends Members, K extends readonly Name<M>[], X extends Indexes<M>>
  extends Pick<
    Collection<RowsOf<M>>,
    'name' | 'outlives' | 'shred' | 'bytes' | 'sealed' | 'queue' | 'restore'
  > {
  readonly members: M
  readonly key: K
  readonly indexes: X
  /** Further columns: a write that changes columns alone leaves the body of its row. */
  readonly columns?: readonly Name<M>[]
  readonly unique?: NonNullable<Collection<RowsOf<M>>['unique']>
  readonly tenant: Name<M> | 'system'
  readonly purge: PurgeRule<Name<M>>
  readonly retain: RetainRule<Name<M>>
}

/** Rows that fulfil conditions, or a page of them. */
export interface Listed<Row> {
  readonly rows: readonly Versioned<Row>[]
  /** Of all, whatever the page. */
  readonly total: number
}

/** Values of the columns of an index; those of the key's order for `key`. */
type Where<M extends Members, K extends readonly Name<M>[], X extends Indexes<M>, N> = {
  readonly [C in K[number] | (N extends keyof X ? X[N][number] : never)]?: RowOf<M[C]>
}

/** Which rows of a list: a page, or the first so many; `newest`: in the order turned round. */
type Stretch = PageQuery | { readonly take: number; readonly newest?: boolean }

/**
 * A collection whose queries are typed by its key and its indexes. Its own properties are the collection, plain data
 * that adapters may send to another thread; members and queries are none of them.
 */
export interface Table<M extends Members, K extends readonly Name<M>[], X extends Indexes<M>>
  extends Collection<RowsOf<M>> {
  readonly members: M
  /** The row under a key, or null. Whichever was found is a check of the commit. */
  get(...key: { readonly [At in keyof K]: RowOf<M[K[At]]> }): Query<Versioned<RowsOf<M>> | null>
  /** The rows with these values in the order of an index: a part if one is named, else all. No check of the commit. */
  by<N extends Name<X> | 'key'>(
    index: N,
    where: Where<M, K, X, N>,
    stretch?: Stretch,
  ): Query<Listed<RowsOf<M>>>
  /** The first row with these values, or null. No check of the commit. */
  first<N extends Name<X> | 'key'>(
    index: N,
    where: Where<M, K, X, N>,
  ): Query<Versioned<RowsOf<M>> | null>
  /** How many rows have these values. No check of the commit. */
  count<N extends Name<X> | 'key'>(index: N, where: Where<M, K, X, N>): Query<number>
}

/** Declares a table by its members. */
export function table<
  M extends Members,
  const K extends readonly Name<M>[],
  const X extends Indexes<M>,
>(declared: Declared<M, K, X>): Table<M, K, X> {
  const { members, columns: _, ...rules } = declared
  const collection = { ...rules, columns: columnsOf(declared) } as unknown as Collection<RowsOf<M>>
  const queries: Omit<Table<M, K, X>, keyof Collection> = {
    members,
    get: (...key) => rowUnder(collection, key as unknown as Key),
    // What holds all rows needs no second look to count them.
    by: (index, where, stretch = { take: everyRow }) =>
      listed(
        collection,
        { by: index, where, ...rangeOf(stretch), count: !isWhole(stretch) },
        (found) => {
          const rows = many(collection, found)
          return { rows, total: found?.total ?? rows.length }
        },
      ),
    first: (index, where) =>
      listed(collection, { by: index, where, skip: 0, take: 1, count: false }, (found) =>
        one(collection, found),
      ),
    count: (index, where) =>
      listed(
        collection,
        { by: index, where, skip: 0, take: 0, count: true },
        (found) => found?.total ?? 0,
      ),
  }
  return Object.assign(Object.create(queries) as typeof queries, collection)
}

interface Asked {
  readonly by: string
  readonly where: object
  readonly skip: number
  readonly take: number
  readonly newest?: boolean
  readonly count: boolean
}

function isWhole(stretch: Stretch): boolean {
  return 'take' in stretch && stretch.take === everyRow
}

function rangeOf(stretch: Stretch): Pick<Asked, 'skip' | 'take' | 'newest'> {
  if ('take' in stretch) return { skip: 0, ...stretch }
  const { page, pageSize } = stretch
  return { skip: (page - 1) * pageSize, take: pageSize }
}

function listed<Row extends object, T>(
  collection: Collection<Row>,
  { where, ...query }: Asked,
  of: (found: Found | undefined) => T,
): Query<T> {
  const conditions = Object.entries(where).map(
    ([column, value]) => [column, '=', value as Value] as const,
  )
  return {
    reads: [list(collection, { where: conditions, ...query })],
    of: ([found]) => of(found),
    checks: () => [],
  }
}

/** Members that a key, an index or a rule names. Throws for one that can be no column. */
function columnsOf<M extends Members, K extends readonly Name<M>[], X extends Indexes<M>>({
  name,
  members,
  key,
  indexes,
  columns = [],
  unique = {},
  queue,
  tenant,
  purge,
  retain,
}: Declared<M, K, X>): Readonly<Record<string, 'text' | 'int'>> {
  const named = new Set<string>([
    ...(tenant === 'system' ? [] : [tenant]),
    ...key,
    ...Object.values(indexes).flat(),
    ...columns,
    ...(queue ? Object.values(queue) : []),
    ...Object.values(unique).flatMap(({ on, when }) => [...on, ...(when ? [when.column] : [])]),
    ...('application' in purge ? [purge.application] : []),
    ...('by' in retain ? [retain.by] : []),
  ])
  return Object.fromEntries(
    Array.from(named, (column) => {
      const type = members[column]?.column
      if (!type) throw new TypeError(`table ${name}: expected text or whole numbers in ${column}`)
      return [column, type]
    }),
  )
}
