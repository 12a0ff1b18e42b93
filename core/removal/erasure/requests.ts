import { applications } from '../../applications/records.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { actorName } from '../../kernel/callers/actor.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { rowsBy } from '../../kernel/list.ts'
import { listOf, object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { count } from '../../kernel/page.ts'
import { answered, orNotFound, type Query, queryOf, rowUnder } from '../../kernel/query.ts'
import { just, line, name } from '../../kernel/shape.ts'
import { workAt } from '../../kernel/work/records.ts'
import { holdsOfSubject } from './hold-board.ts'
import {
  type ErasureRequest,
  erasureCertificateShape,
  erasureKind,
  erasureRequests,
  erasureView,
  shownErasure,
} from './records.ts'
import { removedOf } from './removed-subjects.ts'
import {
  applicationsNaming,
  countOfNaming,
  isKnown,
  pseudonymOf,
  type SubjectTools,
  sessionsWith,
} from './subjects.ts'

const { command, list, reading } = operationsWith<SubjectTools>()

const { erasureRequestId, dataSubjectId, applicationId, reason } = shownErasure
const id = { erasureRequestId }
const erasureShape = object(shownErasure, 'ErasureRequest')

/** Looks up the data of a subject; recorded in the audit log. */
export const lookUpSubject = command({
  name: 'subjects.lookup',
  doc: 'Look up what is held of a data subject',
  right: 'managePrivacy',
  takes: { dataSubjectId },
  gives: object(
    {
      /** The pseudonym. */
      dataSubjectId,
      applicationIds: listOf(line(longest.id)),
      sessionCount: count,
      /** Of cases whose openings named the person. */
      caseCount: count,
      activeHolds: count,
    },
    'Subject',
  ),
  refuses: [],
  prepare: ({ by, tools }, input) => pseudonymOf(tools, by.tenantId, input),
  async run(unit, _, subjectId) {
    const { tenantId } = unit.by
    const scope = { tenantId, dataSubjectId: subjectId, applicationId: null }
    const held = await sessionsWith(unit, scope)
    const naming = await applicationsNaming(unit, scope)
    const { activeHolds, caseCount } = await unit.ask({
      activeHolds: queryOf([holdsOfSubject(tenantId, subjectId)], ([found]) => found?.total ?? 0),
      caseCount: queryOf([countOfNaming(scope)], ([found]) => found?.total ?? 0),
    })
    unit.audit('data_subject.looked_up', subjectId, { sessionCount: held.length, caseCount })
    const applicationIds = [...held.map((session) => session.applicationId), ...naming]
    return {
      dataSubjectId: subjectId,
      applicationIds: [...new Set(applicationIds)].toSorted(),
      sessionCount: held.length,
      caseCount,
      activeHolds,
    }
  },
})

/** Asks for the erasure of a subject's data in one application or in all; answers the request that is under way, if any. */
export const createErasure = command({
  name: 'erasureRequests.create',
  doc: "Ask for the erasure of a data subject's data",
  right: 'managePrivacy',
  takes: { dataSubjectId, applicationId, reason, confirm: just(true) },
  gives: erasureShape,
  refuses: ['not_found'],
  prepare: ({ by, tools }, input) => pseudonymOf(tools, by.tenantId, input),
  async run(unit, { applicationId, reason }, subjectId) {
    const { by, now, tools } = unit
    const { tenantId } = by
    const scope = { tenantId, dataSubjectId: subjectId, applicationId }
    const { before } = await unit.ask({
      before: erasureRequests.first('bySubject', {
        ...{ tenantId, dataSubjectId: subjectId, underWay: 1, scope: applicationId ?? '' },
      }),
    })
    if (before) return erasureView(before.row, tools.portalUrl)
    // Also a check: a concurrent purge would end without seeing the request.
    await unit.ask({ application: existingIn(tenantId, applicationId) })
    if (!(await isKnown(unit, scope)) && (await removedOf(unit, scope)).length === 0)
      unit.refuse('not_found', 'nothing is stored of this data subject')
    const request: ErasureRequest = {
      ...{ ...scope, erasureRequestId: unit.id('ers'), scope: applicationId ?? '', reason },
      ...{ status: 'received', waitingFor: null, underWay: 1 },
      ...{ requestedBy: actorName(by), requestedAt: now, begunAt: null, completedAt: null },
      ...{ applicationIds: [], counts: null, certificate: null },
      ...{ rejectedBy: null, rejectedAt: null, rejectReason: null },
    }
    const item = { kind: erasureKind, ref: request.erasureRequestId }
    unit.put(erasureRequests, request)
    unit.wake(workAt({ ...item, tenantId, due: now }))
    unit.audit('erasure.requested', item.ref, { dataSubjectId: subjectId, applicationId, reason })
    return erasureView(request, tools.portalUrl)
  },
})

/** A page of the tenant's requests, newest first. */
export const listErasures = list({
  name: 'erasureRequests.list',
  doc: 'List erasure requests, newest first',
  right: 'readPrivacy',
  filter: {},
  items: 'erasureRequests',
  item: erasureShape,
  refuses: [],
  source: ({ by: { tenantId }, tools: { portalUrl } }) =>
    rowsBy(erasureRequests, {
      ...{ by: 'byTenant', where: { tenantId }, cursor: 'erasureRequestId', newest: true },
      show: (request) => erasureView(request, portalUrl),
    }),
})

/** One request. */
export const readErasure = reading({
  name: 'erasureRequests.read',
  doc: 'Read an erasure request',
  right: 'readPrivacy',
  takes: id,
  gives: erasureShape,
  refuses: ['not_found'],
  async run({ ask, tools }, { erasureRequestId }) {
    const { request } = await ask({ request: existing(erasureRequestId) })
    return erasureView(request.row, tools.portalUrl)
  },
})

/** Rejects a request before its first key is destroyed. */
export const rejectErasure = command({
  name: 'erasureRequests.reject',
  doc: 'Reject an erasure request before its first key is destroyed',
  right: 'managePrivacy',
  takes: { ...id, reason: name(longest.privacyReason) },
  gives: erasureShape,
  refuses: ['not_found', 'invalid_transition'],
  async run(unit, { erasureRequestId, reason }) {
    const { portalUrl } = unit.tools
    const { was } = await unit.ask({ was: existing(erasureRequestId) })
    const { status, begunAt, dataSubjectId } = was.row
    if (status === 'rejected') return erasureView(was.row, portalUrl)
    if (status === 'completed' || begunAt !== null)
      unit.refuse('invalid_transition', 'keys were destroyed already: the erasure runs to its end')
    // Its work item sees the state and ends.
    const request: ErasureRequest = {
      ...{ ...was.row, status: 'rejected', waitingFor: null, underWay: 0 },
      ...{ rejectedBy: actorName(unit.by), rejectedAt: unit.now, rejectReason: reason },
    }
    unit.put(erasureRequests, request, was)
    unit.audit('erasure.rejected', erasureRequestId, { dataSubjectId })
    return erasureView(request, portalUrl)
  },
})

/** The signed certificate of a completed erasure. */
export const readErasureCertificate = reading({
  name: 'erasureRequests.certificate',
  doc: 'Read the signed certificate of a completed erasure',
  right: 'readPrivacy',
  takes: id,
  gives: erasureCertificateShape,
  refuses: ['not_found'],
  async run({ ask, refuse }, { erasureRequestId }) {
    const { row } = (await ask({ request: existing(erasureRequestId) })).request
    return (
      row.certificate ?? refuse('not_found', `no certificate yet: the erasure is ${row.status}`)
    )
  },
})

/** What is held of data subjects (interface, Portal host). */
export const subjectOperations = [lookUpSubject] as const
/** Erasure of data subjects (interface, Portal host). */
export const erasureOperations = [
  createErasure,
  listErasures,
  readErasure,
  rejectErasure,
  readErasureCertificate,
] as const

function existing(erasureRequestId: string): Query<Versioned<ErasureRequest>, 'not_found'> {
  return orNotFound(erasureRequests.get(erasureRequestId), 'erasure request')
}

/** An application in any state; null asks for none. */
function existingIn(tenantId: string, applicationId: string | null): Query<unknown, 'not_found'> {
  if (applicationId === null) return answered(null)
  return orNotFound(rowUnder(applications, [tenantId, applicationId]), 'application')
}
