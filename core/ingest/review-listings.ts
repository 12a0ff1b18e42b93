import {
  countOf,
  type Listing,
  type ListQuery,
  type ListSource,
  listingOf,
} from '../ledger/listing.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import type { Found, Read } from '../ports/store.ts'
import { reviewCases } from '../review/records.ts'
import { type StoredSession, sessions } from '../sessions/records.ts'
import type { SessionView } from '../sessions/view.ts'

type Source = ListSource<StoredSession, SessionView>
type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>
type SessionRef = Pick<StoredSession, 'applicationId' | 'sessionId' | 'place'>

/** Open cases that one read brings; each may hold mebibytes. */
const piece = 20

/** The sessions of a list that have an open review case: found from the open cases, whatever else there is. */
export async function underReview(
  source: Source,
  tenantId: string,
  query: ListQuery,
  read: Reader,
): Promise<Listing<SessionView>> {
  const all = await openSessions(source, tenantId, read)
  const behind = (place: string, after: string) => (source.newest ? place < after : place > after)
  const begin =
    'page' in query
      ? (query.page - 1) * query.pageSize
      : all.filter(({ place }) => query.after !== null && !behind(place, query.after)).length
  const end = begin + ('page' in query ? query.pageSize : query.limit)
  const goesOnAt = end < all.length ? (all[end - 1]?.place ?? null) : null
  let at = begin
  const pieces: Listing<SessionView>['pieces'] = {
    [Symbol.asyncIterator]: () => pieces,
    async next() {
      while (at < Math.min(end, all.length)) {
        const some = all.slice(at, Math.min(at + source.piece, end))
        at += some.length
        const found = await read(
          some.map(({ applicationId, sessionId }) =>
            get(sessions, [tenantId, applicationId, sessionId]),
          ),
        )
        // What went meanwhile is left out.
        const rows = found.flatMap((each) => one(sessions, each) ?? [])
        if (rows.length > 0) return { done: false, value: await source.tell(rows) }
      }
      return { done: true, value: goesOnAt }
    },
  }
  return { totalCount: all.length, pieces }
}

/** The sessions of a list that have none: the list itself, but for those. */
export async function notUnderReview(
  source: Source,
  tenantId: string,
  query: ListQuery,
  read: Reader,
): Promise<Listing<SessionView>> {
  const open = await openSessions(source, tenantId, read)
  const places = new Set(open.map(({ place }) => place))
  const before = 'page' in query ? (query.page - 1) * query.pageSize : 0
  const skip = await rowsBefore(source, open, before, read)
  const except = { has: ({ place }: StoredSession) => places.has(place), skip }
  const [counted] = await read([countOf(source)])
  const { pieces } = listingOf({ ...source, except }, query, counted, read)
  return { totalCount: Math.max(0, (counted?.total ?? 0) - open.length), pieces }
}

/** How many rows of the source stand before the one that has so many before it which are not open. */
async function rowsBefore(
  { collection, where, by, newest }: Source,
  open: readonly SessionRef[],
  before: number,
  read: Reader,
): Promise<number> {
  for (let skip = before; ; ) {
    const [found] = await read([list(collection, { where, by, newest, skip, take: 1 })])
    const place = one(collection, found)?.row.place
    if (place === undefined) return skip
    const left = open.filter((each) => (newest ? each.place > place : each.place < place)).length
    if (before + left === skip) return skip
    skip = before + left
  }
}

/** The sessions of the source with an open case, in its order. */
async function openSessions(
  { where, newest }: Source,
  tenantId: string,
  read: Reader,
): Promise<readonly SessionRef[]> {
  const found = new Map<string, SessionRef>()
  for (let after = ''; ; ) {
    const [cases] = await read([
      list(reviewCases, {
        by: 'byState',
        where: [
          ['tenantId', '=', tenantId],
          ['state', '=', 'open'],
          ['reviewCaseId', '>', after],
        ],
        take: piece,
      }),
    ])
    const rows = many(reviewCases, cases)
    const answers = await read(
      rows.map(({ row: { applicationId, sessionId } }) =>
        list(sessions, {
          where: [...where, ['applicationId', '=', applicationId], ['sessionId', '=', sessionId]],
          take: 1,
        }),
      ),
    )
    for (const answer of answers) {
      const row = one(sessions, answer)?.row
      if (!row) continue
      const { applicationId, sessionId, place } = row
      found.set(place, { applicationId, sessionId, place })
    }
    after = rows.at(-1)?.row.reviewCaseId ?? after
    if (rows.length < piece) break
  }
  const order = newest ? -1 : 1
  return [...found.values()].sort((a, b) => (a.place < b.place ? -order : order))
}
