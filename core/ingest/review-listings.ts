import { ofApplications } from '../applications/hidden.ts'
import type { Listing, ListQuery, ListSource } from '../ledger/listing.ts'
import { listingWithout, type Omission } from '../ledger/listing-without.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import type { Found, Read } from '../ports/store.ts'
import { reviewCases } from '../review/records.ts'
import { type StoredSession, sessions } from '../sessions/records.ts'
import type { SessionView } from '../sessions/view.ts'

type Source = ListSource<StoredSession, SessionView>
type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>
type SessionRef = Pick<StoredSession, 'applicationId' | 'sessionId' | 'place'>

/** Whose sessions a list has: the tenant's, but for those of applications that are hidden. */
interface Scope {
  readonly tenantId: string
  readonly hidden: readonly string[]
}

/** Open cases that one read brings; each may hold mebibytes. */
const piece = 20

/** The sessions of a list that have an open review case: found from the open cases, whatever else there is. */
export async function underReview(
  source: Source,
  { tenantId, hidden }: Scope,
  query: ListQuery,
  read: Reader,
  readPiece: Reader,
): Promise<Listing<SessionView>> {
  const all = await openSessions(source, { tenantId, hidden }, read)
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
        const found = await readPiece(
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
  { tenantId, hidden }: Scope,
  query: ListQuery,
  read: Reader,
  readPiece: Reader,
): Promise<Listing<SessionView>> {
  const open = await openSessions(source, { tenantId, hidden }, read)
  const places = new Set(open.map(({ place }) => place))
  const gone = ofApplications(source, hidden, read)
  const omitted: Omission<StoredSession> = {
    has: (row) => places.has(row.place) || gone.has(row),
    count: async (ahead) => {
      const before = open.filter(
        ({ place }) => ahead === null || (source.newest ? place > ahead : place < ahead),
      )
      return before.length + (await gone.count(ahead))
    },
  }
  return listingWithout(source, omitted, query, read, readPiece)
}

/** The sessions of the source with an open case, in its order. */
async function openSessions(
  { where, newest }: Source,
  { tenantId, hidden }: Scope,
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
      if (!row || hidden.includes(row.applicationId)) continue
      const { applicationId, sessionId, place } = row
      found.set(place, { applicationId, sessionId, place })
    }
    after = rows.at(-1)?.row.reviewCaseId ?? after
    if (rows.length < piece) break
  }
  const order = newest ? -1 : 1
  return [...found.values()].sort((a, b) => (a.place < b.place ? -order : order))
}
