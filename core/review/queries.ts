import { authorize, authorizeMember } from '../access/authorize.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { checkPage, pageOf } from '../ledger/page.ts'
import { list, many } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import type { Read } from '../ports/store.ts'
import { checkFilter } from './check-input.ts'
import { loadCase } from './load-case.ts'
import type { ReviewPorts } from './ports.ts'
import { caseView } from './present.ts'
import { reviewCases } from './records.ts'
import { standingOf, standingReads } from './standing.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'
import type { CaseFilter } from './view.ts'

/** The case as it is now, for the application that opened it and for reviewers. */
export function createRead({ ledger, ingestUrl }: ReviewPorts): ReviewCaseUseCases['read'] {
  return async (actor, reviewCaseId) => {
    const who = authorize(actor, 'readCases')
    if (!who.ok) return who
    const tenant = actor.kind === 'system' ? null : actor.tenantId
    const reader = { read: (reads: readonly Read[]) => ledger.read(tenant, reads) }
    const loaded = await loadCase(reader, actor, 'readCases', reviewCaseId)
    return loaded.ok ? ok(caseView(loaded.value.was.row, actor, ingestUrl)) : loaded
  }
}

/** The tenant's cases for its reviewers, newest first. */
export function createList({ ledger, ingestUrl }: ReviewPorts): ReviewCaseUseCases['list'] {
  return async (actor, filter, page) => {
    const who = authorizeMember(actor, 'readCases')
    if (!who.ok) return who
    const paging = checkPage(page)
    if (!paging.ok) return paging
    const malformed = refuseErrors(checkFilter(filter))
    if (malformed) return malformed
    const { tenantId, memberId } = who.value
    const reads = standingReads(who.value)
    const found = await ledger.read(tenantId, [...reads, listOf(tenantId, memberId, filter, page)])
    const standing = standingOf(who.value, 'readCases', found)
    if (!standing.ok) return standing
    const cases = many(reviewCases, found.at(-1))
    const views = cases.map(({ row }) => caseView(row, actor, ingestUrl))
    return ok(pageOf(views, found.at(-1)?.total ?? 0, page))
  }
}

function listOf(
  tenantId: string,
  memberId: string,
  { state, assignee, tier }: CaseFilter,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): Read {
  const assigneeId = assignee === 'me' ? memberId : assignee === 'none' ? null : assignee
  return list(reviewCases, {
    where: [
      ['tenantId', '=', tenantId],
      ...(state === undefined ? [] : [['state', '=', state] as const]),
      ...(assigneeId === undefined ? [] : [['assigneeId', '=', assigneeId] as const]),
      ...(tier === undefined ? [] : [['reviewTier', '=', tier] as const]),
    ],
    // An index whose columns are all pinned down, so that rows come in the order of their ids.
    by: assigneeId !== undefined ? 'byAssignee' : state !== undefined ? 'byState' : 'byTenant',
    newest: true,
    skip: (page - 1) * pageSize,
    take: pageSize,
    count: true,
  })
}
