import { authorizeMember } from '../access/authorize.ts'
import {
  checkListQuery,
  countOf,
  type Listing,
  type ListQuery,
  type ListSource,
  listingOf,
} from '../ledger/listing.ts'
import { list, many } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import type { Read, Versioned, Where } from '../ports/store.ts'
import { isPseudonym } from '../privacy/pseudonym.ts'
import { reviewCases } from '../review/records.ts'
import { type StoredSession, sessions } from '../sessions/records.ts'
import type { SessionFilter, SessionView } from '../sessions/view.ts'
import type { IngestDeps } from './deps.ts'
import { sessionViews } from './queries.ts'
import type { IngestUseCases } from './use-cases.ts'

/** Sessions that one read brings. */
const piece = 50

/** The tenant's sessions, by start. */
export function createListSessions(deps: IngestDeps): IngestUseCases['listSessions'] {
  const { ledger, vault } = deps
  return async (actor, filter, query) => {
    const member = authorizeMember(actor, 'readSessions')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const given = filter.dataSubjectId
    const subject =
      given === undefined || isPseudonym(given)
        ? given
        : (await vault.pseudonyms(tenantId)).subjectOf(given).subjectId
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const source: ListSource<StoredSession, SessionView> = {
      collection: sessions,
      where: whereOf(tenantId, { ...filter, ...(subject && { dataSubjectId: subject }) }),
      by: indexOf(filter),
      newest: filter.sort !== 'startedAt',
      cursor: 'place',
      piece,
      tell: (rows) =>
        sessionViews(
          deps,
          tenantId,
          rows.map(({ row }) => row),
        ),
    }
    if (filter.openReview !== undefined) {
      const open = await openSessions(read, tenantId)
      const keep = ({ row }: Versioned<StoredSession>) =>
        open.has(keyOf(row.applicationId, row.sessionId)) === filter.openReview
      return ok(await filtered(source, keep, query, read))
    }
    const [counted] = await read([countOf(source)])
    return ok(listingOf(source, query, counted, read))
  }
}

function whereOf(tenantId: string, filter: SessionFilter): Where {
  const { applicationId, status, origin, from, until, flagged, dataSubjectId } = filter
  const { minQuality, maxQuality } = filter
  return [
    ['tenantId', '=', tenantId],
    ...(applicationId === undefined ? [] : [['applicationId', '=', applicationId] as const]),
    ...(dataSubjectId === undefined ? [] : [['dataSubjectId', '=', dataSubjectId] as const]),
    ...(status === undefined ? [] : [['status', '=', status] as const]),
    ...(origin === undefined ? [] : [['origin', '=', origin] as const]),
    ...(from === undefined ? [] : [['startedAt', '>=', from] as const]),
    ...(until === undefined ? [] : [['startedAt', '<', until] as const]),
    ...(flagged === undefined ? [] : [['openFlags', flagged ? '>' : '=', 0] as const]),
    ...(minQuality === undefined ? [] : [['quality', '>=', Math.ceil(minQuality * 10)] as const]),
    ...(maxQuality === undefined ? [] : [['quality', '<=', Math.floor(maxQuality * 10)] as const]),
  ]
}

function indexOf({ applicationId, dataSubjectId }: SessionFilter): string {
  if (dataSubjectId !== undefined) return 'bySubject'
  return applicationId === undefined ? 'byTenant' : 'byApplication'
}

const keyOf = (applicationId: string, sessionId: string) => `${applicationId}/${sessionId}`

/** Open cases that one read brings. */
const casePiece = 100

/** Sessions with an open review case. */
async function openSessions(
  read: (reads: readonly Read[]) => ReturnType<IngestDeps['ledger']['read']>,
  tenantId: string,
): Promise<ReadonlySet<string>> {
  const open = new Set<string>()
  for (let after = ''; ; ) {
    const [found] = await read([
      list(reviewCases, {
        by: 'byState',
        where: [
          ['tenantId', '=', tenantId],
          ['state', '=', 'open'],
          ['reviewCaseId', '>', after],
        ],
        take: casePiece,
      }),
    ])
    const rows = many(reviewCases, found)
    for (const { row } of rows) open.add(keyOf(row.applicationId, row.sessionId))
    after = rows.at(-1)?.row.reviewCaseId ?? after
    if (rows.length < casePiece) return open
  }
}

/** A list of which some rows are left out that no column tells: walked from its beginning, so that it counts right. */
async function filtered(
  source: ListSource<StoredSession, SessionView>,
  keep: (row: Versioned<StoredSession>) => boolean,
  query: ListQuery,
  read: (reads: readonly Read[]) => ReturnType<IngestDeps['ledger']['read']>,
): Promise<Listing<SessionView>> {
  const { where, by, newest, tell } = source
  const from = 'page' in query ? (query.page - 1) * query.pageSize : 0
  const take = 'page' in query ? query.pageSize : query.limit
  const begins = 'page' in query ? null : query.after
  const taken: Versioned<StoredSession>[] = []
  let count = 0
  let passed = 0
  for (let after: string | null = null; ; ) {
    const behind: Where = after === null ? [] : [['place', newest ? '<' : '>', after]]
    const [found] = await read([
      list(sessions, { where: [...where, ...behind], by, newest, take: piece }),
    ])
    const rows: readonly Versioned<StoredSession>[] = many(sessions, found)
    for (const row of rows) {
      if (!keep(row)) continue
      count++
      const { place } = row.row
      if (begins !== null && (newest ? place >= begins : place <= begins)) continue
      if (passed++ >= from && taken.length <= take) taken.push(row)
    }
    after = rows.at(-1)?.row.place ?? null
    if (rows.length < piece) break
  }
  const shown = taken.slice(0, take)
  const next = taken.length > take ? (shown.at(-1)?.row.place ?? null) : null
  let views: readonly SessionView[] | null = await tell(shown)
  const pieces: Listing<SessionView>['pieces'] = {
    [Symbol.asyncIterator]: () => pieces,
    async next() {
      const value = views
      views = null
      return value && value.length > 0 ? { done: false, value } : { done: true, value: next }
    },
  }
  return { totalCount: count, pieces }
}
