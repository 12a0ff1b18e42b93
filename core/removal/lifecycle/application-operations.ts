import { changedApplication } from '../../applications/changed-application.ts'
import { decideLifecycle } from '../../applications/lifecycle.ts'
import { activeApplication, existingApplication } from '../../applications/load.ts'
import { type PublicKeys, viewAfterwards } from '../../applications/present.ts'
import { type Application, applications, purgeKind, stageOf } from '../../applications/records.ts'
import {
  applicationShape,
  applicationStages,
  shownApplication,
  stage,
} from '../../applications/view.ts'
import { actorName } from '../../kernel/callers/actor.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { peek, rowUnder } from '../../kernel/query.ts'
import { workAt, workItems } from '../../kernel/work/records.ts'
import { tenants } from '../../organizations/access/records.ts'
import { tellContact } from '../../organizations/members/tell-contact.ts'
import { judgementAgain } from '../../policies/judgement/item.ts'
import { routings } from '../../webhooks/records.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { deletionCancelledMail, deletionMail } from './deletion-mail.ts'
import { holdsOfApplications } from './holds.ts'

/** What the life of an application needs of the host and of other rooms. */
export interface LifecycleTools extends PublicKeys {
  /** From the request of a deletion to its purge. */
  readonly deletionGraceMs: number
}

const { command } = operationsWith<LifecycleTools>()
const { applicationId } = shownApplication

/** Raises the stage, with its event in the same commit; the same stage changes nothing. */
export const promoteApplication = command({
  name: 'applications.promote',
  doc: 'Raise the stage of an application',
  right: 'updateApplications',
  takes: { applicationId, to: stage },
  gives: applicationShape,
  refuses: ['not_found', 'application_gone', 'invalid_transition'],
  async run(unit, { applicationId, to }) {
    const { tenantId } = unit.by
    const { was, routing } = await unit.ask({
      was: activeApplication(tenantId, applicationId),
      routing: peek(rowUnder(routings, [tenantId]), 'the fan-out of the event checks it'),
    })
    const from = stageOf(was.row)
    if (from === to) return viewAfterwards(unit, was.row)
    if (applicationStages.indexOf(to) < applicationStages.indexOf(from))
      unit.refuse('invalid_transition', `the application is in ${from}, expected a later stage`)
    const promotedAt = eventTime(routing, unit.now)
    const row = changedApplication(was.row, { stage: to, promotedAt }, unit.now)
    unit.put(applications, row, was)
    unit.emit({
      type: 'application.promoted',
      application: { id: applicationId, name: row.name },
      data: { fromStage: from, toStage: to, promotedAt: isoTime(promotedAt) },
    })
    unit.audit('application.promoted', applicationId, { fromStage: from, toStage: to })
    return viewAfterwards(unit, row)
  },
})

/**
 * Starts the grace period; asked again, it stays as it was. Of its data nothing but the application's own row changes,
 * so that a cancel restores it.
 */
export const requestDeletion = command({
  name: 'applications.requestDeletion',
  doc: 'Mark an application for deletion and start its grace period',
  right: 'deleteApplications',
  takes: { applicationId },
  gives: applicationShape,
  refuses: ['not_found', 'blocked_by_hold', 'purge_started'],
  async run(unit, { applicationId }) {
    const { now, tools } = unit
    const { tenantId } = unit.by
    const { was } = await unit.ask({ was: existingApplication(tenantId, applicationId) })
    const { held, check } = await holdsOfApplications(unit, tenantId, [applicationId])
    const purgeAt = now + tools.deletionGraceMs
    const asked = { by: actorName(unit.by), purgeAt, held: held.has(applicationId) }
    const row = unit.orRefuse(decideLifecycle(was.row, { type: 'request_deletion', ...asked }, now))
    if (row === was.row) return viewAfterwards(unit, row)
    unit.put(applications, row, was)
    unit.include({ checks: [check] })
    const mail = { ...named(was.row), by: 'an admin', requestedAt: now, purgeAt }
    const counted = { kind: 'deletion_requested', about: applicationId } as const
    await tellContact(unit, tenantId, counted, deletionMail(mail))
    unit.wake(workAt({ kind: purgeKind, ref: applicationId, tenantId, due: purgeAt }))
    unit.wake(judgementAgain(tenantId))
    unit.audit('application.deletion_requested', applicationId, { purgeAt: isoTime(purgeAt) })
    return viewAfterwards(unit, row)
  },
})

/** Ends the grace period as if it had never begun. */
export const cancelDeletion = command({
  name: 'applications.cancelDeletion',
  doc: 'Take back a deletion whose purge has not begun',
  right: 'deleteApplications',
  takes: { applicationId },
  gives: applicationShape,
  refuses: ['not_found', 'not_pending', 'purge_started', 'invalid_transition'],
  async run(unit, { applicationId }) {
    const { tenantId } = unit.by
    const { was, item, tenant } = await unit.ask({
      was: existingApplication(tenantId, applicationId),
      item: rowUnder(workItems, [purgeKind, applicationId]),
      tenant: rowUnder(tenants, [tenantId]),
    })
    if (tenant?.row.deletion)
      unit.refuse('invalid_transition', 'the organization is being deleted, with its applications')
    const row = unit.orRefuse(decideLifecycle(was.row, { type: 'cancel_deletion' }, unit.now))
    unit.put(applications, row, was)
    if (item) unit.remove(workItems, item)
    unit.wake(judgementAgain(tenantId))
    const counted = { kind: 'deletion_cancelled', about: applicationId } as const
    await tellContact(unit, tenantId, counted, deletionCancelledMail(named(was.row), unit.now))
    unit.audit('application.deletion_cancelled', applicationId, {})
    return viewAfterwards(unit, row)
  },
})

function named({ name, applicationId }: Application) {
  return { name, what: `the application ${name} (${applicationId})` }
}

/** The life of applications (interface, Portal host). */
export const lifecycleOperations = [promoteApplication, requestDeletion, cancelDeletion] as const
