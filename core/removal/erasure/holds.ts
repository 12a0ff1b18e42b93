import { type Application, applications, purgeKind } from '../../applications/records.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { actorName } from '../../kernel/callers/actor.ts'
import type { AuditEntry } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import type { Reader } from '../../kernel/ledger/pages.ts'
import { everyRow, get, list, many, one } from '../../kernel/ledger/reads.ts'
import { rowsBy } from '../../kernel/list.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { answered, mapped, orNotFound, type Query, Refused, rowUnder } from '../../kernel/query.ts'
import { flag, name } from '../../kernel/shape.ts'
import type { Wake } from '../../kernel/unit.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { optional } from '../../kernel/wrap.ts'
import { changedBoard } from './hold-board.ts'
import {
  erasureKind,
  erasureRequests,
  holdBoards,
  holdView,
  type LegalHold,
  legalHolds,
  shownHold,
} from './records.ts'
import { isKnown, pseudonymOf, type SubjectScope, type SubjectTools } from './subjects.ts'

const { command, list: listing } = operationsWith<SubjectTools>()

/** Requests that one release of a hold wakes; the others look again within the hour. */
const mostWoken = 1_000

const holdShape = object(shownHold, 'LegalHold')
const { dataSubjectId, applicationId, matter, holdId } = shownHold

/** Places a legal hold, also on a subject without data. */
export const placeHold = command({
  name: 'legalHolds.place',
  doc: 'Place a legal hold on a data subject',
  right: 'managePrivacy',
  takes: { dataSubjectId, applicationId, matter },
  gives: holdShape,
  refuses: ['not_found', 'invalid_transition', 'purge_started'],
  prepare: ({ by, tools }, input) => pseudonymOf(tools, by.tenantId, input),
  async run(unit, input, subjectId) {
    const { tenantId } = unit.by
    const scope = { ...input, tenantId, dataSubjectId: subjectId }
    const { board, requests } = await unit.ask({
      board: holdBoards.get(tenantId),
      requests: erasureRequests.by('bySubject', {
        tenantId,
        dataSubjectId: subjectId,
        underWay: 1,
      }),
      application: withData(tenantId, input.applicationId),
    })
    const started = await purgingWith(unit, scope)
    if (started)
      unit.refuse(
        'purge_started',
        `the purge of ${started}, which has data of this subject, has begun and can't be stopped`,
      )
    const begun = requests.rows.find(
      ({ row }) =>
        row.begunAt !== null &&
        (row.applicationId === null ||
          input.applicationId === null ||
          row.applicationId === input.applicationId),
    )
    if (begun)
      unit.refuse(
        'invalid_transition',
        `the erasure ${begun.row.erasureRequestId} of this subject has begun and can't be stopped: place the hold once it is completed`,
      )
    const hold: LegalHold = {
      ...scope,
      holdId: unit.id('hold'),
      active: 1,
      placedBy: actorName(unit.by),
      placedAt: unit.now,
      releasedBy: null,
      releasedAt: null,
      releaseReason: null,
    }
    unit.put(legalHolds, hold)
    unit.put(holdBoards, changedBoard(tenantId, board), board)
    unit.emit({
      type: 'gdpr.legal_hold_placed',
      applicationId: hold.applicationId,
      data: {
        holdId: hold.holdId,
        dataSubjectId: subjectId,
        placedAt: isoTime(hold.placedAt),
      },
    })
    unit.audit('legal_hold.placed', hold.holdId, detailOf(hold))
    return holdView(hold)
  },
})

/** A part of the tenant's holds, newest first. */
export const listHolds = listing({
  name: 'legalHolds.list',
  doc: 'List legal holds, newest first',
  right: 'readPrivacy',
  filter: { active: optional(flag) },
  items: 'legalHolds',
  item: holdShape,
  refuses: [],
  source: ({ by: { tenantId } }, { active }) =>
    rowsBy(legalHolds, {
      by: active === undefined ? 'byTenant' : 'byActive',
      where: { tenantId, ...(active !== undefined && { active: active ? 1 : 0 }) },
      cursor: 'holdId',
      newest: true,
      show: holdView,
    }),
})

/** Releases a hold and wakes the erasures and purges that waited for it; idempotent. */
export const releaseHold = command({
  name: 'legalHolds.release',
  doc: 'Release a legal hold',
  right: 'managePrivacy',
  takes: { holdId, reason: name(longest.privacyReason) },
  gives: holdShape,
  refuses: ['not_found'],
  async run(unit, { holdId, reason }) {
    const { tenantId } = unit.by
    const { was, board, requests } = await unit.ask({
      was: orNotFound(legalHolds.get(holdId), 'legal hold'),
      board: holdBoards.get(tenantId),
      requests: erasureRequests.by('byState', { tenantId, underWay: 1 }, { take: mostWoken }),
    })
    if (was.row.active === 0) return holdView(was.row)
    const hold: LegalHold = {
      ...was.row,
      active: 0,
      releaseReason: reason,
      releasedBy: actorName(unit.by),
      releasedAt: unit.now,
    }
    unit.put(legalHolds, hold, was)
    unit.put(holdBoards, changedBoard(tenantId, board), board)
    // A hold may have kept what others have a part in.
    for (const { row } of requests.rows)
      if (row.status === 'blocked_by_hold') unit.wake(waiting(erasureKind, row.erasureRequestId))
    for (const { row } of await applicationsIn(unit, tenantId, 'pending_deletion'))
      if (row.deletion?.blockedByHold) unit.wake(waiting(purgeKind, row.applicationId))
    unit.audit('legal_hold.released', holdId, detailOf(hold))
    return holdView(hold)
  },
})

/** Legal holds (interface, Portal host). */
export const holdOperations = [placeHold, listHolds, releaseHold] as const

/** An application that has data to hold; null asks for none. */
function withData(
  tenantId: string,
  applicationId: string | null,
): Query<Versioned<Application> | null, 'not_found' | 'purge_started'> {
  if (applicationId === null) return answered(null)
  return mapped(rowUnder(applications, [tenantId, applicationId]), (application) => {
    if (!application) return new Refused('not_found', 'no such application')
    // Nothing is left to hold, and what names the application would stay.
    return application.row.lifecycleState === 'purged'
      ? new Refused(
          'purge_started',
          `${applicationId} is purged, expected an application with data`,
        )
      : application
  })
}

async function applicationsIn(
  { read }: Reader,
  tenantId: string,
  state: Application['lifecycleState'],
): Promise<readonly Versioned<Application>[]> {
  const where = [
    ['tenantId', '=', tenantId],
    ['lifecycleState', '=', state],
  ] as const
  const [found] = await read([list(applications, { by: 'byState', where, take: everyRow })])
  return many(applications, found)
}

/** An application that the hold would cover and whose purge has begun, or null. */
async function purgingWith(reader: Reader, hold: SubjectScope): Promise<string | null> {
  const { tenantId, dataSubjectId } = hold
  for (const { row } of await applicationsIn(reader, tenantId, 'purging')) {
    const { applicationId } = row
    if (hold.applicationId === applicationId) return applicationId
    if (hold.applicationId !== null) continue
    if (await isKnown(reader, { tenantId, dataSubjectId, applicationId })) return applicationId
  }
  return null
}

/** Makes a waiting item due; one that is running looks again by itself. */
function waiting(kind: string, ref: string): Wake {
  return {
    item: get(workItems, [kind, ref]),
    schedule(now, found) {
      const item = one(workItems, found)
      return item?.leasedBy === null ? schedule({ ...item.row, due: now }, item) : null
    },
  }
}

function detailOf({ dataSubjectId, applicationId }: LegalHold): AuditEntry['detail'] {
  return { dataSubjectId, applicationId }
}
