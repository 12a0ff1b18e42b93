import { tenantOf } from '../access/actor.ts'
import { authorize, authorizeMember } from '../access/authorize.ts'
import { readAs } from '../access/read-as.ts'
import { hiddenOf, hiddenReads, ofApplications } from '../applications/hidden.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { checkListQuery, countOf, type ListSource, listingOf } from '../ledger/listing.ts'
import { listingWithout } from '../ledger/listing-without.ts'
import { ok } from '../ledger/refusal.ts'
import type { Read, Where } from '../ports/store.ts'
import { checkFilter } from './check-input.ts'
import { timeStep } from './deadlines.ts'
import type { ReviewDeps } from './deps.ts'
import { loadCase } from './execution/load-case.ts'
import { sceneOf } from './execution/scene.ts'
import { standingOf, standingReads } from './execution/standing.ts'
import { caseRow, caseView } from './present-case.ts'
import { type ReviewCase, reviewCases } from './records.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'
import type { CaseFilter, CaseRow } from './view.ts'

/** The case as it is now, for the application that opened it and for reviewers; at `expiresAt` it expires first. */
export function createRead(ports: ReviewDeps): ReviewCaseUseCases['read'] {
  const { ledger } = ports
  return async (actor, reviewCaseId) => {
    const who = authorize(actor, 'readCases')
    if (!who.ok) return who
    const read = await ledger.execute<ReviewCase>(tenantOf(actor), async (unit) => {
      const loaded = await loadCase(unit, actor, 'readCases', reviewCaseId)
      if (!loaded.ok) return refusal(loaded)
      const { was } = loaded.value
      if (was.row.state !== 'open' || unit.now < was.row.expiresAt) return answer(was.row)
      const scene = await sceneOf(unit, was.row.tenantId, was.row.applicationId)
      const step = timeStep(ports, scene, was)
      return step ? commit(step.changes, step.moved.case) : answer(was.row)
    })
    return read.ok ? ok(caseView(read.value, actor, ports)) : read
  }
}

/** Cases that one read brings: each may hold megabytes, and decoding them holds the event loop. */
const piece = 4

/** The tenant's cases for its reviewers, newest first, but for those of applications that are being deleted (decision 103). */
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
    const source: ListSource<ReviewCase, CaseRow> = {
      collection: reviewCases,
      ...placeOf(tenantId, memberId, filter),
      newest: true,
      cursor: 'reviewCaseId',
      piece,
      tell: (rows) => rows.map(({ row }) => caseRow(row, actor, ports, filter.include)),
    }
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const readPiece = readAs(ledger, who.value, 'readCases')
    const own = standingReads(who.value)
    const found = await read([...own, countOf(source), ...hiddenReads(tenantId)])
    const standing = standingOf(who.value, 'readCases', found)
    if (!standing.ok) return standing
    const [counted, ...deleted] = found.slice(own.length)
    const hidden = hiddenOf(deleted)
    if (hidden.length === 0) return ok(listingOf(source, query, counted, readPiece))
    const omitted = ofApplications(source, hidden, read)
    return ok(await listingWithout(source, omitted, query, read, readPiece))
  }
}

function placeOf(
  tenantId: string,
  memberId: string,
  { state, assignee, tier }: CaseFilter,
): { readonly where: Where; readonly by: string } {
  const assigneeId = assignee === 'me' ? memberId : assignee === 'none' ? null : assignee
  return {
    where: [
      ['tenantId', '=', tenantId],
      ...(state === undefined ? [] : [['state', '=', state] as const]),
      ...(assigneeId === undefined ? [] : [['assigneeId', '=', assigneeId] as const]),
      ...(tier === undefined ? [] : [['reviewTier', '=', tier] as const]),
    ],
    // An index whose columns are all fixed by the query, so that rows come in the order of ids.
    by: assigneeId !== undefined ? 'byAssignee' : state !== undefined ? 'byState' : 'byTenant',
  }
}
