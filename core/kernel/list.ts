import type { Collection, Found, Read, Value } from '../base/ports/store.ts'
import type { CallerKind } from './callers.ts'
import type { Declared, LookupOf } from './declared.ts'
import { cursorLength, most, usualPageSize } from './ledger/limits.ts'
import {
  checkPosition,
  type ListQuery,
  type Listing as Opened,
  type Pieces,
  piecesOf,
  wholeList,
} from './ledger/listing.ts'
import type { Page } from './ledger/page.ts'
import { type Rows, readPart } from './ledger/read-part.ts'
import { type FieldError, ok, type RefusalCode, type Result } from './ledger/refusal.ts'
import { listOf, object } from './members.ts'
import { place } from './page.ts'
import {
  type AnyShape,
  line,
  type Members,
  type OutOf,
  type RowsOf,
  type Shape,
  whole,
} from './shape.ts'
import { optional, orNull } from './wrap.ts'

/** Which part of a list is asked for: a page, or what is behind a cursor. Without any, the first page. */
export const part = {
  page: optional(whole(1, 999_999_999)),
  pageSize: optional(whole(1, most.pageSize)),
  after: optional(line(cursorLength)),
  limit: optional(whole(1, most.pageSize)),
}
type Part = RowsOf<typeof part>

/** The fault of a part that is both a page and behind a cursor. */
export function faultsOfPart({ page, pageSize, after, limit }: Part): readonly FieldError[] {
  const isPage = page !== undefined || pageSize !== undefined
  if (!isPage || (after === undefined && limit === undefined)) return []
  const detail = 'expected page and pageSize, or after and limit'
  return [{ code: 'invalid_value', detail, pointer: '/after', parameter: null }]
}

/** The query of a list that a part stands for. */
export function queryOfPart({ page = 1, pageSize = usualPageSize, after, limit }: Part): ListQuery {
  return after === undefined && limit === undefined
    ? { page, pageSize }
    : { after: after ?? null, limit: limit ?? usualPageSize }
}

/** Rows of a list, in the form in which callers get them. */
export interface Source<T> {
  /** Refuses a cursor that is none of this list. */
  check?(query: ListQuery): Result<null>
  part(query: ListQuery, read: Reader): Promise<Page<T> | Rows<T>>
}

/** Rows of one collection. */
interface Stored<T> extends Source<T> {
  /** All of them, in pieces that are read as they are asked for. */
  whole(read: Reader): Pieces<T>
}

type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>

/** Rows of a collection with these values, in the order of an index. */
export function rowsBy<Row extends object, T>(
  collection: Collection<Row>,
  asked: {
    readonly by: string
    /** Values of columns of the index. */
    readonly where: Readonly<Record<string, Value>>
    /** The column by which the list is ordered; no two of its rows have the same. */
    readonly cursor: keyof Row & string
    readonly newest?: boolean
    /** Whether a row is shown; those that are not count all the same. Absent: all are. */
    readonly has?: (row: Row) => boolean
    readonly show: (row: Row) => T
  },
): Stored<T> {
  const { by, cursor, newest = false, has = () => true, show } = asked
  const where = Object.entries(asked.where).map(([column, value]) => [column, '=', value] as const)
  const piece = most.pageSize + 1
  const tell = (rows: readonly { readonly row: Row }[]) =>
    rows.flatMap(({ row }) => (has(row) ? [show(row)] : []))
  const source = { collection, by, where, newest, cursor, piece, tell }
  return {
    check: (query) => (collection.columns[cursor] === 'int' ? checkPosition(query) : ok(null)),
    part: (query, read) => readPart(source, query, read),
    whole: (read) => piecesOf(source, wholeList, read),
  }
}

/** A page of a list, its rows under the name of the list. */
export type PageUnder<Items extends string, T> = {
  readonly [Name in Items]: readonly T[]
} & Omit<Page<T>, 'items'>

/** An operation that reads a part of a list. */
export interface Listing<
  Name extends string,
  Filter extends Members,
  Items extends string,
  Item extends AnyShape,
  Code extends RefusalCode = never,
  Kind extends CallerKind = 'member',
  Tools = unknown,
  Repeats extends string = string,
> extends Declared<Name, Filter & typeof part, Code, Kind> {
  readonly kind: 'listing'
  /** Members of its input beside those of its part. */
  readonly filter: Filter
  /** The name of the rows in a page. */
  readonly items: Items
  readonly item: Item
  /** Filters that a page shows again, beside its rows. */
  readonly repeats?: readonly Repeats[]
  /** A page, or rows behind a cursor. */
  readonly gives: AnyShape
  source(
    lookup: LookupOf<Kind, Code, Tools>,
    filter: RowsOf<Filter>,
  ): Source<OutOf<Item>> | Promise<Source<OutOf<Item>>>
}

/** An operation that reads a part of a list of any size, whose rows are read as they are asked for. */
export interface Streaming<
  Name extends string,
  Filter extends Members,
  Items extends string,
  Item extends AnyShape,
  List extends Opened<OutOf<Item>>,
  Code extends RefusalCode = never,
  Kind extends CallerKind = 'member',
  Tools = unknown,
> extends Declared<Name, Filter & typeof part, Code, Kind> {
  readonly kind: 'stream'
  /** Members of its input beside those of its part. */
  readonly filter: Filter
  /** The name of the rows in a page. */
  readonly items: Items
  readonly item: Item
  /** Members of its answer beside its rows and their place. */
  readonly beside?: Members
  /** A page, or rows behind a cursor. */
  readonly gives: AnyShape
  open(lookup: LookupOf<Kind, Code, Tools>, filter: RowsOf<Filter>, query: ListQuery): Promise<List>
}

/** What is written of a list: all but what follows. */
export type ListDeclared<L extends { readonly kind: 'listing' | 'stream' }> = Omit<
  L,
  'kind' | 'takes' | 'gives' | 'also'
>

/**
 * The answer of a list: a page, or what is behind a cursor. `again`: members that a page has beside its rows; `both`:
 * those that either has.
 */
export function partShape<T extends object>(
  items: string,
  item: AnyShape,
  again: Members = {},
  both: Members = {},
): Shape<T> {
  const title = items.charAt(0).toUpperCase() + items.slice(1)
  const rows = {
    rows: listOf(item),
    next: orNull(line(cursorLength)),
    totalCount: place.totalCount,
    ...both,
  }
  const page = object({ ...again, [items]: listOf(item), ...place, ...both })
  const anyOf = [page, object(rows)].map(({ json }) => json.answer)
  const answer = { title, anyOf }
  return { ...page, json: { input: {}, answer } } as unknown as Shape<T>
}

/** Completes a list by its paging; `items` with a capital is the title of its answer. */
export function listing<L extends { readonly kind: 'listing' | 'stream' }>(
  kind: L['kind'],
  declared: {
    readonly items: string
    readonly item: AnyShape
    readonly filter: Members
    readonly repeats?: readonly string[]
    readonly beside?: Members
  },
): L {
  const { filter, items, item, repeats = [], beside } = declared
  const again = Object.entries(filter).filter(([name]) => repeats.includes(name))
  return {
    ...declared,
    kind,
    takes: { ...filter, ...part },
    also: faultsOfPart,
    gives: partShape(items, item, Object.fromEntries(again), beside),
  } as unknown as L
}
