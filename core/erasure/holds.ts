import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { applicationOf, existing } from '../applications/load.ts'
import { applications, purgeKind } from '../applications/records.ts'
import { encodeEvent } from '../events/envelope.ts'
import type { LegacyEvent } from '../events/legacy.ts'
import { audit } from '../ledger/audit.ts'
import { checkLine, checkName } from '../ledger/check-text.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { longest, most } from '../ledger/limits.ts'
import { checkListQuery, type ListSource } from '../ledger/listing.ts'
import { readPart } from '../ledger/read-part.ts'
import { everyRow, get, list, many, one, put } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import type { Read, Where } from '../ports/store.ts'
import { routings } from '../webhooks/records.ts'
import { eventTime } from '../webhooks/routing/event-time.ts'
import { fanOut, routingOf } from '../webhooks/routing/fan-out.ts'
import { schedule, workItems } from '../work/records.ts'
import type { ErasureDeps } from './deps.ts'
import { boardPut } from './hold-board.ts'
import { holdView } from './present.ts'
import { erasureRequests, holdBoards, type LegalHold, legalHolds } from './records.ts'
import { isKnown, type SubjectScope } from './subjects.ts'
import type { PrivacyUseCases } from './use-cases.ts'
import type { HoldView } from './view.ts'

/** Requests that one release of a hold looks at anew at once; the others look for themselves within the hour. */
const mostWoken = 1_000

export function placeHold(deps: ErasureDeps): PrivacyUseCases['placeHold'] {
  const { ledger, vault, intake } = deps
  return async (actor, input) => {
    const member = authorizeMember(actor, 'managePrivacy')
    if (!member.ok) return member
    const malformed = refuseErrors([
      ...checkLine(input.dataSubjectId, '/dataSubjectId', longest.id),
      ...checkLine(input.applicationId, '/applicationId', longest.id),
      ...checkName(input.matter, '/matter', longest.matter),
    ])
    if (malformed) return malformed
    const { tenantId } = member.value
    const { subjectOf } = await vault.pseudonyms(tenantId)
    const { subjectId: dataSubjectId } = subjectOf(input.dataSubjectId)
    const { applicationId = null } = input
    return executeAs(ledger, actor, 'managePrivacy', async (unit, by) => {
      const found = await unit.read([
        get(holdBoards, [tenantId]),
        routingOf(tenantId),
        underWay(tenantId, dataSubjectId),
        ...(applicationId === null ? [] : [applicationOf(tenantId, applicationId)]),
      ])
      if (applicationId !== null) {
        const application = existing(found[3])
        if (!application.ok) return refusal(application)
        // Nothing is left to hold, and what names the application would stay.
        if (application.value.row.lifecycleState === 'purged')
          return refusal(
            refuse(
              'purge_started',
              `${applicationId} is purged, expected an application with data`,
            ),
          )
      }
      const started = await purgingWith(unit, { tenantId, dataSubjectId, applicationId })
      if (started)
        return refusal(
          refuse(
            'purge_started',
            `the purge of ${started}, which has data of this subject, has begun and can't be stopped`,
          ),
        )
      const begun = many(erasureRequests, found[2]).find(
        ({ row }) =>
          row.begunAt !== null &&
          (row.applicationId === null ||
            applicationId === null ||
            row.applicationId === applicationId),
      )
      if (begun)
        return refusal(
          refuse(
            'invalid_transition',
            `the erasure ${begun.row.erasureRequestId} of this subject has begun and can't be stopped: place the hold once it is completed`,
          ),
        )
      const hold: LegalHold = {
        tenantId,
        holdId: unit.id('hold'),
        dataSubjectId,
        applicationId,
        matter: input.matter.trim(),
        active: 1,
        placedBy: actorName(by),
        placedAt: unit.now,
        releasedBy: null,
        releasedAt: null,
        releaseReason: null,
      }
      const routing = one(routings, found[1])
      const owed = fanOut({
        routing,
        tenantId,
        events: [outgoing(unit.id('evt'), hold, eventTime(routing, unit.now))],
        now: unit.now,
        id: unit.id,
        intake,
      })
      return commit(
        {
          checks: owed.checks,
          puts: [
            put(legalHolds, hold, null),
            boardPut(tenantId, one(holdBoards, found[0])),
            ...owed.puts,
          ],
          appends: [entryOf(hold, 'legal_hold.placed', hold.placedBy, unit.now)],
        },
        holdView(hold),
      )
    })
  }
}

/** An application that the hold would cover and whose purge has begun, or null. */
async function purgingWith(unit: UnitOfWork, hold: SubjectScope): Promise<string | null> {
  const { tenantId, dataSubjectId } = hold
  const [found] = await unit.read([
    list(applications, {
      by: 'byState',
      where: [
        ['tenantId', '=', tenantId],
        ['lifecycleState', '=', 'purging'],
        ...(hold.applicationId === null
          ? []
          : [['applicationId', '=', hold.applicationId] as const]),
      ],
      take: everyRow,
    }),
  ])
  for (const { row } of many(applications, found)) {
    const { applicationId } = row
    if (hold.applicationId !== null) return applicationId
    if (await isKnown(unit, { tenantId, dataSubjectId, applicationId })) return applicationId
  }
  return null
}

function outgoing(id: string, hold: LegalHold, at: number) {
  const event: LegacyEvent = {
    id,
    type: 'gdpr.legal_hold_placed',
    timestamp: isoTime(at),
    tenantId: hold.tenantId,
    applicationId: hold.applicationId,
    data: {
      holdId: hold.holdId,
      dataSubjectId: hold.dataSubjectId,
      placedAt: isoTime(hold.placedAt),
    },
  }
  const { type, applicationId } = event
  return { id, type, applicationId, body: encodeEvent(event) } as const
}

/** Requests of one subject that are under way: one an application, and one for all. */
function underWay(tenantId: string, dataSubjectId: string): Read {
  return list(erasureRequests, {
    by: 'bySubject',
    where: [
      ['tenantId', '=', tenantId],
      ['dataSubjectId', '=', dataSubjectId],
      ['underWay', '=', 1],
    ],
    take: everyRow,
  })
}

function allUnderWay(tenantId: string): Read {
  return list(erasureRequests, {
    by: 'byState',
    where: [
      ['tenantId', '=', tenantId],
      ['underWay', '=', 1],
    ],
    take: mostWoken,
  })
}

function allPending(tenantId: string): Read {
  return list(applications, {
    by: 'byState',
    where: [
      ['tenantId', '=', tenantId],
      ['lifecycleState', '=', 'pending_deletion'],
    ],
    take: everyRow,
  })
}

function entryOf(hold: LegalHold, action: string, actor: string, now: number) {
  const { tenantId, holdId, dataSubjectId, applicationId } = hold
  const detail = { dataSubjectId, applicationId }
  return audit(tenantId, { at: isoTime(now), actor, action, subject: holdId, detail })
}

/** Releases a hold; erasures and purges that waited for it are looked at again at once. */
export function releaseHold({ ledger }: ErasureDeps): PrivacyUseCases['releaseHold'] {
  return async (actor, holdId, input) => {
    const member = authorizeMember(actor, 'managePrivacy')
    if (!member.ok) return member
    const malformed = refuseErrors(checkName(input.reason, '/reason', longest.privacyReason))
    if (malformed) return malformed
    return executeAs(ledger, actor, 'managePrivacy', async ({ now, read }, by) => {
      const { tenantId } = by
      const [found, board] = await read([get(legalHolds, [holdId]), get(holdBoards, [tenantId])])
      const was = one(legalHolds, found)
      if (!was) return refusal(refuse('not_found', 'no such legal hold'))
      if (was.row.active === 0) return answer(holdView(was.row))
      const hold: LegalHold = {
        ...was.row,
        active: 0,
        releasedBy: actorName(by),
        releasedAt: now,
        releaseReason: input.reason.trim(),
      }
      const [requests, pending] = await read([allUnderWay(tenantId), allPending(tenantId)])
      // A hold may have kept what others have a part in.
      const waiting = many(erasureRequests, requests).flatMap(({ row }) =>
        row.status === 'blocked_by_hold' ? row.erasureRequestId : [],
      )
      const blocked = many(applications, pending).flatMap(({ row }) =>
        row.deletion?.blockedByHold ? row.applicationId : [],
      )
      const items = await read([
        ...waiting.map((id) => get(workItems, ['erasure', id])),
        ...blocked.map((id) => get(workItems, [purgeKind, id])),
      ])
      const due = items.flatMap((item) => {
        const scheduled = one(workItems, item)
        if (!scheduled || scheduled.leasedBy !== null) return []
        return schedule({ ...scheduled.row, due: now }, scheduled)
      })
      return commit(
        {
          puts: [put(legalHolds, hold, was), boardPut(tenantId, one(holdBoards, board)), ...due],
          appends: [entryOf(hold, 'legal_hold.released', actorName(by), now)],
        },
        holdView(hold),
      )
    })
  }
}

export function listHolds({ ledger }: ErasureDeps): PrivacyUseCases['listHolds'] {
  return async (actor, { active }, query) => {
    const member = authorizeMember(actor, 'readPrivacy')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const chosen: Where = active === undefined ? [] : [['active', '=', active ? 1 : 0]]
    const source: ListSource<LegalHold, HoldView> = {
      collection: legalHolds,
      by: active === undefined ? 'byTenant' : 'byActive',
      where: [['tenantId', '=', tenantId], ...chosen],
      newest: true,
      cursor: 'holdId',
      piece: most.pageSize + 1,
      tell: (rows) => rows.map(({ row }) => holdView(row)),
    }
    return ok(await readPart(source, query, (reads) => ledger.read(tenantId, reads)))
  }
}
