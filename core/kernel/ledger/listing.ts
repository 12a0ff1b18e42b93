import type { Collection, Found, Read, Versioned, Where } from '../../base/ports/store.ts'
import { isStorable } from '../../base/text/text-rules.ts'
import { cursorLength, most } from './limits.ts'
import {
  checkCount,
  checkShallowPage,
  mostCounted,
  type Page,
  type PageQuery,
  pageOf,
} from './page.ts'
import { list, many } from './reads.ts'
import { type FieldError, ok, type Result, refuse } from './refusal.ts'

/**
 * Rows behind a cursor (keyset paging): costs the same at any depth, and rows that come or go between two parts move
 * none.
 */
export interface CursorQuery {
  /** The cursor that the part before was answered with; null begins the list. */
  readonly after: string | null
  /** 1 to 100. */
  readonly limit: number
}

/** The part of a list that is asked for. */
export type ListQuery = PageQuery | CursorQuery

/** Reads a whole list; not available to callers. */
export const wholeList: CursorQuery = { after: null, limit: Number.MAX_SAFE_INTEGER - 1 }

/** A list read in pieces on demand: memory holds one piece, whatever the size of the rows. */
export interface Listing<T> {
  /** Rows of the whole list, of which this may be a part; `mostCounted` says that there are so many or more. */
  readonly totalCount: number
  readonly pieces: Pieces<T>
}

/** A list whose filters may have no index. */
export interface ScannedListing<T> extends Listing<T> {
  /** The cursor of the last row that they were tried on, behind which the list goes on; null where they were on all. */
  readonly scannedTo: string | null
}

/** Its return value is the cursor behind which the list goes on, null at its end. */
export type Pieces<T> = AsyncIterableIterator<readonly T[], string | null, undefined>

/** The query of a list and the presentation of its rows. */
export interface ListSource<R extends object, T> {
  readonly collection: Collection<R>
  readonly where: Where
  readonly by: string
  readonly newest: boolean
  /** The column by which the list is ordered; no two of its rows have the same. Of whole numbers, `checkPosition` is asked too. */
  readonly cursor: keyof R & string
  /** Rows that one read brings at most. */
  readonly piece: number
  /** Whether all rows are counted, however many. */
  readonly exact?: boolean
  /** As `ScannedListing.scannedTo`: `where` reaches no further. */
  readonly scannedTo?: string | null
  readonly tell: (rows: readonly Versioned<R>[]) => readonly T[] | Promise<readonly T[]>
  /** Rows of the collection that the list leaves out. */
  readonly except?: {
    readonly has: (row: R) => boolean
    /** Of the collection's rows, those before a page; the list itself can not tell. */
    readonly skip: number
  }
}

/** At most 100 rows; more is refused, not clamped. */
export function checkListQuery(query: ListQuery): Result<null> {
  if ('page' in query) return checkShallowPage(query)
  const { after, limit } = query
  const errors: readonly FieldError[] = [
    ...checkCount('limit', limit, most.pageSize),
    ...(after === null || isCursor(after) ? [] : [wrongCursor]),
  ]
  const [first] = errors
  return first ? refuse('invalid_request', first.detail, { errors }) : ok(null)
}

const wrongCursor: FieldError = {
  code: 'invalid_value',
  detail: 'after: expected the `next` of an earlier answer',
  pointer: null,
  parameter: 'after',
}

/** As `checkListQuery`, of a list whose cursor is a whole number. */
export function checkPosition(query: ListQuery): Result<null> {
  if ('page' in query || query.after === null || /^[1-9]\d{0,14}$/.test(query.after))
    return ok(null)
  return refuse('invalid_request', wrongCursor.detail, { errors: [wrongCursor] })
}

function isCursor(text: unknown): text is string {
  return (
    typeof text === 'string' && text.length >= 1 && text.length <= cursorLength && isStorable(text)
  )
}

/**
 * Counts a list's rows, of which `besides` are left out; `listingOf` takes the answer. Nothing of the rows is held before
 * they are asked for.
 */
export function countOf<R extends object, T>(
  { collection, where, by, exact = false }: ListSource<R, T>,
  besides = 0,
): Read {
  return list(collection, { where, by, take: 0, count: exact || mostCounted + besides })
}

export function listingOf<R extends object, T>(
  source: ListSource<R, T>,
  query: ListQuery,
  counted: Found | undefined,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Listing<T> {
  return { totalCount: counted?.total ?? 0, pieces: piecesOf(source, query, read) }
}

/** A listing's page in memory, for lists whose rows are known to be small. */
export async function gatherPage<T>(listing: Listing<T>, query: PageQuery): Promise<Page<T>> {
  const items: T[] = []
  for await (const piece of listing.pieces) items.push(...piece)
  return pageOf(items, listing.totalCount, query)
}

/** Where the next piece begins, and how many rows the answer may still have. */
interface Place {
  readonly skip: number
  readonly after: string | null
  readonly left: number
}

interface Piece<T> {
  readonly items: readonly T[]
  /** Null at the end of the list. */
  readonly next: Place | null
  /** Whether rows are left beyond the limit. */
  readonly more: boolean
}

function beginningOf(query: ListQuery, skip?: number): Place {
  return 'page' in query
    ? { skip: skip ?? (query.page - 1) * query.pageSize, after: null, left: query.pageSize }
    : { skip: 0, after: query.after, left: query.limit }
}

async function pieceAt<R extends object, T>(
  { collection, where, by, newest, cursor, piece, tell, except }: ListSource<R, T>,
  { skip, after, left }: Place,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<Piece<T>> {
  // One row beyond the limit shows whether the list goes on.
  const take = Math.min(piece, left + 1)
  const place = after !== null && collection.columns[cursor] === 'int' ? Number(after) : after
  const behind: Where = place === null ? [] : [[cursor, newest ? '<' : '>', place]]
  const [found] = await read([
    list(collection, { where: [...where, ...behind], by, newest, skip, take }),
  ])
  const all = many(collection, found)
  const rows = except ? all.filter(({ row }) => !except.has(row)) : all
  const told = rows.slice(0, left)
  const more = rows.length > told.length
  const end = (more ? told : all).at(-1)
  const last = end ? String(end.row[cursor]) : after
  return {
    items: told.length > 0 ? await tell(told) : [],
    next: all.length < take ? null : { skip: 0, after: last, left: left - told.length },
    more,
  }
}

/** Pieces of a list, each read when it is asked for. No generator, whose frame would keep the last one alive. */
export function piecesOf<R extends object, T>(
  source: ListSource<R, T>,
  query: ListQuery,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Pieces<T> {
  let place: Place | null = beginningOf(query, source.except?.skip)
  let goesOnAt: string | null = source.scannedTo ?? null

  const pieces: Pieces<T> = {
    [Symbol.asyncIterator]: () => pieces,
    async next() {
      while (place) {
        const { items, next, more }: Piece<T> = await pieceAt(source, place, read)
        place = next
        if (more) {
          goesOnAt = next?.after ?? null
          place = null
        }
        if (items.length > 0) return { done: false, value: items }
      }
      return { done: true, value: goesOnAt }
    },
  }
  return pieces
}
