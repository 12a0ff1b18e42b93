import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { applicationOf, existing } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import { audit } from '../ledger/audit.ts'
import { checkLine, checkName } from '../ledger/check-text.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { longest, most } from '../ledger/limits.ts'
import { checkListQuery, type ListSource } from '../ledger/listing.ts'
import { readPart } from '../ledger/read-part.ts'
import { list, one, put, unchanged } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import { schedule } from '../work/records.ts'
import type { ErasureDeps } from './deps.ts'
import { holdsOfSubject } from './hold-board.ts'
import { erasureView } from './present.ts'
import { type ErasureRequest, erasureOf, erasureReasons, erasureRequests } from './records.ts'
import { removedOf } from './removed-subjects.ts'
import { isKnown, type SubjectScope, sessionsWith } from './subjects.ts'
import type { PrivacyUseCases } from './use-cases.ts'
import type { ErasureView } from './view.ts'

/** The work item of a request, one to one. */
export const erasureKind = 'erasure'

export function lookupSubject({ ledger, vault }: ErasureDeps): PrivacyUseCases['lookupSubject'] {
  return async (actor, input) => {
    const member = authorizeMember(actor, 'managePrivacy')
    if (!member.ok) return member
    const malformed = refuseErrors(checkLine(input.dataSubjectId, '/dataSubjectId', longest.id))
    if (malformed) return malformed
    const { tenantId } = member.value
    const { subjectOf } = await vault.pseudonyms(tenantId)
    const { subjectId: dataSubjectId } = subjectOf(input.dataSubjectId)
    return executeAs(ledger, actor, 'managePrivacy', async (unit, by) => {
      const held = await sessionsWith(unit, { tenantId, dataSubjectId, applicationId: null })
      const [holds] = await unit.read([holdsOfSubject(tenantId, dataSubjectId)])
      const entry = audit(tenantId, {
        at: isoTime(unit.now),
        actor: actorName(by),
        action: 'data_subject.looked_up',
        subject: dataSubjectId,
        detail: { sessionCount: held.length },
      })
      return commit(
        { appends: [entry] },
        {
          dataSubjectId,
          applicationIds: [...new Set(held.map(({ applicationId }) => applicationId))].toSorted(),
          sessionCount: held.length,
          activeHolds: holds?.total ?? 0,
        },
      )
    })
  }
}

export function requestErasure(deps: ErasureDeps): PrivacyUseCases['requestErasure'] {
  const { ledger, vault, portalUrl } = deps
  return async (actor, input) => {
    const member = authorizeMember(actor, 'managePrivacy')
    if (!member.ok) return member
    const { reason, applicationId = null } = input
    const malformed = refuseErrors([
      ...checkLine(input.dataSubjectId, '/dataSubjectId', longest.id),
      ...checkLine(input.applicationId, '/applicationId', longest.id),
      ...(erasureReasons.includes(reason)
        ? []
        : [wrong('/reason', `expected one of ${erasureReasons.join(', ')}`)]),
      ...(input.confirm === true ? [] : [wrong('/confirm', 'expected true')]),
    ])
    if (malformed) return malformed
    const { tenantId } = member.value
    const { subjectOf } = await vault.pseudonyms(tenantId)
    const { subjectId: dataSubjectId } = subjectOf(input.dataSubjectId)
    const scope: SubjectScope = { tenantId, dataSubjectId, applicationId }
    return executeAs(ledger, actor, 'managePrivacy', async (unit, by) => {
      const [same, foundApplication] = await unit.read([
        list(erasureRequests, {
          by: 'bySubject',
          where: [
            ['tenantId', '=', tenantId],
            ['dataSubjectId', '=', dataSubjectId],
            ['underWay', '=', 1],
            ['scope', '=', applicationId ?? ''],
          ],
          take: 1,
        }),
        ...(applicationId === null ? [] : [applicationOf(tenantId, applicationId)]),
      ])
      const before = one(erasureRequests, same)
      if (before) return answer(erasureView(before.row, portalUrl))
      const application = applicationId === null ? null : existing(foundApplication)
      if (application && !application.ok) return refusal(application)
      // A purge beside it would end without having seen the request.
      const checks = application ? [unchanged(applications, application.value)] : []
      if (!(await isKnown(unit, scope)) && (await removedOf(unit, scope)).length === 0)
        return refusal(refuse('not_found', 'nothing is stored of this data subject'))
      const request: ErasureRequest = {
        tenantId,
        erasureRequestId: unit.id('ers'),
        dataSubjectId,
        applicationId,
        scope: applicationId ?? '',
        reason,
        status: 'received',
        waitingFor: null,
        underWay: 1,
        requestedBy: actorName(by),
        requestedAt: unit.now,
        begunAt: null,
        completedAt: null,
        applicationIds: [],
        counts: null,
        certificate: null,
        rejectedBy: null,
        rejectedAt: null,
        rejectReason: null,
      }
      const { erasureRequestId } = request
      return commit(
        {
          checks,
          puts: [
            put(erasureRequests, request, null),
            schedule({
              kind: erasureKind,
              ref: erasureRequestId,
              tenantId,
              applicationId: null,
              due: unit.now,
            }),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: actorName(by),
              action: 'erasure.requested',
              subject: erasureRequestId,
              detail: { dataSubjectId, applicationId, reason },
            }),
          ],
        },
        erasureView(request, portalUrl),
      )
    })
  }
}

export function listErasures({ ledger, portalUrl }: ErasureDeps): PrivacyUseCases['listErasures'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readPrivacy')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const source: ListSource<ErasureRequest, ErasureView> = {
      collection: erasureRequests,
      where: [['tenantId', '=', tenantId]],
      by: 'byTenant',
      newest: true,
      cursor: 'erasureRequestId',
      piece: most.pageSize + 1,
      tell: (rows) => rows.map(({ row }) => erasureView(row, portalUrl)),
    }
    return ok(await readPart(source, query, (reads) => ledger.read(tenantId, reads)))
  }
}

export function readErasure({ ledger, portalUrl }: ErasureDeps): PrivacyUseCases['readErasure'] {
  return async (actor, erasureRequestId) => {
    const member = authorizeMember(actor, 'readPrivacy')
    if (!member.ok) return member
    const [found] = await ledger.read(member.value.tenantId, [erasureOf(erasureRequestId)])
    const request = one(erasureRequests, found)
    return request ? ok(erasureView(request.row, portalUrl)) : noRequest
  }
}

const noRequest = refuse('not_found', 'no such erasure request')

export function rejectErasure({
  ledger,
  portalUrl,
}: ErasureDeps): PrivacyUseCases['rejectErasure'] {
  return async (actor, erasureRequestId, input) => {
    const member = authorizeMember(actor, 'managePrivacy')
    if (!member.ok) return member
    const malformed = refuseErrors(checkName(input.reason, '/reason', longest.privacyReason))
    if (malformed) return malformed
    return executeAs(ledger, actor, 'managePrivacy', async ({ now, read }, by) => {
      const [found] = await read([erasureOf(erasureRequestId)])
      const was = one(erasureRequests, found)
      if (!was) return refusal(noRequest)
      const { status, begunAt, tenantId } = was.row
      if (status === 'rejected') return answer(erasureView(was.row, portalUrl))
      if (status === 'completed' || begunAt !== null)
        return refusal(
          refuse('invalid_transition', 'keys were destroyed already: the erasure runs to its end'),
        )
      // Its work item sees the state and ends.
      const request: ErasureRequest = {
        ...was.row,
        status: 'rejected',
        waitingFor: null,
        underWay: 0,
        rejectedBy: actorName(by),
        rejectedAt: now,
        rejectReason: input.reason.trim(),
      }
      return commit(
        {
          puts: [put(erasureRequests, request, was)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(by),
              action: 'erasure.rejected',
              subject: erasureRequestId,
              detail: { dataSubjectId: request.dataSubjectId },
            }),
          ],
        },
        erasureView(request, portalUrl),
      )
    })
  }
}

export function erasureCertificate({
  ledger,
}: Pick<ErasureDeps, 'ledger'>): PrivacyUseCases['erasureCertificate'] {
  return async (actor, erasureRequestId) => {
    const member = authorizeMember(actor, 'readPrivacy')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [erasureOf(erasureRequestId)])
    const request = one(erasureRequests, found)?.row
    if (!request) return noRequest
    return request.certificate
      ? ok(request.certificate)
      : refuse('not_found', `no certificate yet: the erasure is ${request.status}`)
  }
}
