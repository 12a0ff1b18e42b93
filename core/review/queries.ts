import { hiddenOf, hiddenReads, ofApplications } from '../applications/hidden.ts'
import { applicationOf } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import type { Found, Read, Where } from '../base/ports/store.ts'
import { hiddenTexts, markedReader } from '../content/erasure-marks.ts'
import { tenantOf } from '../kernel/callers/actor.ts'
import { authorize, authorizeMember } from '../kernel/callers/authorize.ts'
import { refuseErrors } from '../kernel/ledger/input-errors.ts'
import { answer, refusal } from '../kernel/ledger/ledger.ts'
import { checkListQuery, countOf, type ListSource, listingOf } from '../kernel/ledger/listing.ts'
import { listingWithout } from '../kernel/ledger/listing-without.ts'
import { pinnedIndex } from '../kernel/ledger/pinned-index.ts'
import { list, many, one } from '../kernel/ledger/reads.ts'
import { ok } from '../kernel/ledger/refusal.ts'
import { readAs } from '../organizations/access/read-as.ts'
import { routings } from '../webhooks/records.ts'
import { eventTime } from '../webhooks/routing/event-time.ts'
import { routingOf } from '../webhooks/routing/fan-out.ts'
import { checkFilter } from './check-input.ts'
import { shownCase } from './deadlines.ts'
import type { ReviewDeps } from './deps.ts'
import { withoutContent } from './erase-case.ts'
import { shownErased } from './execution/end-erased.ts'
import { loadCase } from './execution/load-case.ts'
import { sceneOf } from './execution/scene.ts'
import { standingOf, standingReads } from './execution/standing.ts'
import { caseRow, caseView } from './present-case.ts'
import { type ReviewCase, reviewCases } from './records.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'
import type { CaseFilter, CaseRow } from './view.ts'

/**
 * The case as it is now, for the application that opened it and for reviewers; from `expiresAt` on it is shown as
 * expired, which its deadline or the next command records. Alike one whose data subject is being erased is shown as
 * cancelled.
 */
export function createRead(ports: ReviewDeps): ReviewCaseUseCases['read'] {
  const { ledger } = ports
  return async (actor, reviewCaseId) => {
    const who = authorize(actor, 'readCases')
    if (!who.ok) return who
    const read = await ledger.execute<ReviewCase>(tenantOf(actor), async (unit) => {
      const loaded = await loadCase(unit, actor, 'readCases', reviewCaseId)
      if (!loaded.ok) return refusal(loaded)
      const { was, isErased } = loaded.value
      const { row } = was
      if (row.state !== 'open' || !(isErased || unit.now >= row.expiresAt))
        return answer(isErased ? withoutContent(row) : row)
      const scene = await sceneOf(unit, row.tenantId, row.applicationId)
      return answer(isErased ? shownErased(row, scene) : shownCase(row, scene))
    })
    return read.ok ? ok(caseView(read.value, actor, ports)) : read
  }
}

/** Cases that one read brings: each may hold megabytes, and decoding them holds the event loop. */
const piece = 4

/**
 * The tenant's cases for its reviewers, newest first, but for those of applications that are being deleted (decision
 * 103). Cases past their end are shown as expired, those of somebody who is being erased as cancelled, and neither are among
 * the open ones.
 */
export function createList(ports: ReviewDeps): ReviewCaseUseCases['list'] {
  const { ledger } = ports
  return async (actor, filter, query) => {
    const who = authorizeMember(actor, 'readCases')
    if (!who.ok) return who
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const malformed = refuseErrors(checkFilter(filter))
    if (malformed) return malformed
    const { tenantId, memberId } = who.value
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const marked = markedReader(readAs(ledger, who.value, 'readCases'), tenantId)
    const readPiece = marked.read
    const own = standingReads(who.value)
    const began = await ledger.execute(tenantId, async ({ now, ...unit }) =>
      answer({
        now,
        found: await unit.read([
          ...own,
          routingOf(tenantId),
          lapsedAt(tenantId, now),
          ...hiddenReads(tenantId),
        ]),
      }),
    )
    if (!began.ok) return began
    const { now, found } = began.value
    const standing = standingOf(who.value, 'readCases', found)
    if (!standing.ok) return standing
    const [routed, lapsed, ...deleted] = found.slice(own.length)
    const at = eventTime(one(routings, routed), now)
    const anyLapsed = many(reviewCases, lapsed).length > 0
    const source: ListSource<ReviewCase, CaseRow> = {
      collection: reviewCases,
      ...placeOf(tenantId, memberId, filter, anyLapsed ? now : null),
      newest: true,
      cursor: 'reviewCaseId',
      piece,
      tell: async (rows) => {
        const all = rows.map(({ row }) => row)
        const erased = await hiddenTexts({ read }, marked.erasing(), all)
        const cases = await shownCases(all, erased, at, read)
        return cases
          .filter(({ state }) => filter.state === undefined || state === filter.state)
          .map((review) => caseRow(review, actor, ports, filter.include))
      },
    }
    const hidden = hiddenOf(deleted)
    if (hidden.length === 0) {
      const [counted] = await read([countOf(source)])
      return ok(listingOf(source, query, counted, readPiece))
    }
    const omitted = ofApplications(source, hidden, read)
    return ok(await listingWithout(source, omitted, query, read, readPiece))
  }
}

/** The read of whether any open case is past its end: few are, and not for long. */
function lapsedAt(tenantId: string, now: number): Read {
  return list(reviewCases, {
    by: 'byExpiry',
    where: [
      ['tenantId', '=', tenantId],
      ['state', '=', 'open'],
      ['expiresAt', '<=', now],
    ],
    take: 1,
  })
}

/** Cases as they are at this time; how those end that are past their end, or being erased, depends on their applications. */
async function shownCases(
  cases: readonly ReviewCase[],
  erased: ReadonlySet<ReviewCase>,
  at: number,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<readonly ReviewCase[]> {
  const ends = (review: ReviewCase) =>
    review.state === 'open' && (review.expiresAt <= at || erased.has(review))
  const ending = cases.filter(ends)
  const found =
    ending.length === 0
      ? []
      : await read(ending.map((each) => applicationOf(each.tenantId, each.applicationId)))
  return cases.map((review) => {
    const index = ending.indexOf(review)
    if (index < 0) return erased.has(review) ? withoutContent(review) : review
    const scene = { at, application: one(applications, found[index]) }
    return erased.has(review) ? shownErased(review, scene) : shownCase(review, scene)
  })
}

/** `openAfter`, ms: open cases are only those that expire later; null where none is past its end. */
function placeOf(
  tenantId: string,
  memberId: string,
  { state, assignee, tier, applicationId, sessionId }: CaseFilter,
  openAfter: number | null,
): { readonly where: Where; readonly by: string } {
  const assigneeId = assignee === 'me' ? memberId : assignee === 'none' ? null : assignee
  const isOpen = state === 'open' && openAfter !== null
  const where: Where = [
    ['tenantId', '=', tenantId],
    ...(state === undefined ? [] : [['state', '=', state] as const]),
    ...(isOpen ? [['expiresAt', '>', openAfter] as const] : []),
    ...(assigneeId === undefined ? [] : [['assigneeId', '=', assigneeId] as const]),
    ...(tier === undefined ? [] : [['reviewTier', '=', tier] as const]),
    ...(applicationId === undefined ? [] : [['applicationId', '=', applicationId] as const]),
    ...(sessionId === undefined ? [] : [['sessionId', '=', sessionId] as const]),
  ]
  // A session has few cases, whatever else is asked of them.
  return { where, by: sessionId === undefined ? pinnedIndex(reviewCases, where) : 'bySession' }
}
