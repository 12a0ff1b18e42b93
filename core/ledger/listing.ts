import type { Collection, Found, Read, Versioned, Where } from '../ports/store.ts'
import { most } from './limits.ts'
import { checkCount, checkPage, type Page, type PageQuery, pageOf } from './page.ts'
import { list, many } from './reads.ts'
import { type FieldError, ok, type Result, refuse } from './refusal.ts'

/** Rows behind a cursor (keyset paging): costs the same at any depth, and rows that come or go meanwhile move none. */
export interface CursorQuery {
  /** The cursor that the part before was answered with; null begins the list. */
  readonly after: string | null
  /** 1 to 100. */
  readonly limit: number
}

/** The part of a list that is asked for. */
export type ListQuery = PageQuery | CursorQuery

/** A list that is read piece by piece as it is asked for: memory holds a piece, whatever the rows have in them. */
export interface Listing<T> {
  /** Rows of the whole list, of which this may be a part. */
  readonly totalCount: number
  /** Returns the cursor behind which the list goes on, null at its end. */
  readonly pieces: AsyncGenerator<readonly T[], string | null, undefined>
}

/** Where the rows of a list are, and how they are told. */
export interface ListSource<R extends object, T> {
  readonly collection: Collection<R>
  readonly where: Where
  readonly by: string
  readonly newest: boolean
  /** The text column by which the list is ordered; no two of its rows have the same. */
  readonly cursor: keyof R & string
  /** Rows that one read brings at most. */
  readonly piece: number
  readonly tell: (rows: readonly Versioned<R>[]) => readonly T[] | Promise<readonly T[]>
}

const longestCursor = 200
/** NUL, or half a surrogate pair, which no store can compare. */
const unstorable = /[\0\p{Cs}]/u

/** At most 100 rows; more is refused, not clamped. */
export function checkListQuery(query: ListQuery): Result<null> {
  if ('page' in query) return checkPage(query)
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

function isCursor(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length >= 1 &&
    text.length <= longestCursor &&
    !unstorable.test(text)
  )
}

/** Reads the first piece of a list and counts its rows; `listingOf` takes the answer. */
export function firstPiece<R extends object, T>(source: ListSource<R, T>, query: ListQuery): Read {
  const skip = 'page' in query ? (query.page - 1) * query.pageSize : 0
  const after = 'page' in query ? null : query.after
  return { ...pieceAfter(source, after, lengthOf(query)), skip, count: true }
}

export function listingOf<R extends object, T>(
  source: ListSource<R, T>,
  query: ListQuery,
  first: Found | undefined,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Listing<T> {
  return { totalCount: first?.total ?? 0, pieces: piecesOf(source, lengthOf(query), first, read) }
}

/** A listing's page in memory, for lists whose rows are known to be small. */
export async function gatherPage<T>(listing: Listing<T>, query: PageQuery): Promise<Page<T>> {
  const items: T[] = []
  for await (const piece of listing.pieces) items.push(...piece)
  return pageOf(items, listing.totalCount, query)
}

function lengthOf(query: ListQuery): number {
  return 'page' in query ? query.pageSize : query.limit
}

/** One row more than is left to tell shows whether the list goes on. */
function takeOf(source: { readonly piece: number }, left: number): number {
  return Math.min(source.piece, left + 1)
}

function pieceAfter<R extends object, T>(
  source: ListSource<R, T>,
  after: string | null,
  left: number,
) {
  const { collection, where, by, newest, cursor } = source
  const behind: Where = after === null ? [] : [[cursor, newest ? '<' : '>', after]]
  return list(collection, { where: [...where, ...behind], by, newest, take: takeOf(source, left) })
}

async function* piecesOf<R extends object, T>(
  source: ListSource<R, T>,
  length: number,
  first: Found | undefined,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): AsyncGenerator<readonly T[], string | null, undefined> {
  let found = first
  let left = length
  let last: string | null = null
  for (;;) {
    const rows = many(source.collection, found)
    const told = rows.slice(0, left)
    const asked = takeOf(source, left)
    left -= told.length
    last = (told.at(-1)?.row[source.cursor] as string | undefined) ?? last
    if (told.length > 0) yield await source.tell(told)
    if (rows.length > told.length) return last
    if (rows.length < asked) return null
    found = (await read([pieceAfter(source, last, left)]))[0]
  }
}
