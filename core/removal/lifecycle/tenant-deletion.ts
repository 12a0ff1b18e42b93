import { decideLifecycle } from '../../applications/lifecycle.ts'
import { type Application, applications, purgeKind } from '../../applications/records.ts'
import { lifecycleStates } from '../../applications/view.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { actorName, type StaffActor, type SystemActor } from '../../kernel/callers/actor.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest, staffClockAheadMs } from '../../kernel/ledger/limits.ts'
import { unchanged } from '../../kernel/ledger/reads.ts'
import { type FieldError, unwrap } from '../../kernel/ledger/refusal.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { mapped, type Query, Refused, rowUnder, together } from '../../kernel/query.ts'
import {
  type InsOf,
  line,
  name,
  type OutsOf,
  oneOf,
  type RowsOf,
  time,
} from '../../kernel/shape.ts'
import { digest } from '../../kernel/usual.ts'
import { workAt, workItems } from '../../kernel/work/records.ts'
import { orNull } from '../../kernel/wrap.ts'
import { type Tenant, type TenantDeletion, tenants } from '../../organizations/access/records.ts'
import { judgementAgain } from '../../policies/judgement/item.ts'
import type { LifecycleTools } from './application-operations.ts'
import { deletionCancelledMail, deletionMail } from './deletion-mail.ts'
import { holdsOfApplications } from './holds.ts'

/** What deletions of organizations need of the host. */
export interface TenantDeletionTools extends Pick<LifecycleTools, 'deletionGraceMs'> {
  /** Names of all staff, for who verified an identity; absent: the host does not know them. */
  readonly staffNames?: readonly string[]
}

const { command } = operationsWith<TenantDeletionTools>()

/** The kind of the work item that ends a tenant's deletion; its `ref` is the tenant. */
export const tenantDeletionKind = 'tenant.deletion'

/** What staff must have seen before it deletes an organization. */
const evidence = {
  ticket: name(longest.id),
  identity: object({
    method: name(longest.id),
    /** Another member of staff than the one who asks. */
    verifiedBy: line(longest.id),
    verifiedAt: time,
  }),
  authorizationForm: object({
    sha256: digest,
    signedBy: name(longest.name),
    signedAt: time,
  }),
}
/** What staff must have seen before it deletes an organization; times in ms. */
export interface TenantDeletionInput extends InsOf<typeof evidence> {}

const shownDeletion = {
  tenantId: line(longest.id),
  state: oneOf(['active', 'pending_deletion', 'purging', 'deleted']),
  requestedAt: orNull(time),
  purgeAt: orNull(time),
  applications: listOf(
    object({ applicationId: line(longest.id), lifecycleState: oneOf(lifecycleStates) }),
  ),
}
/** The deletion of an organization, for staff; times are ISO 8601 UTC. */
export interface TenantDeletionView extends OutsOf<typeof shownDeletion> {}

const { tenantId } = shownDeletion
const common = {
  by: 'staff',
  right: 'deleteTenants',
  of: (input: { readonly tenantId: string }) => input.tenantId,
  gives: object(shownDeletion, 'TenantDeletion'),
} as const

/** Starts the grace period of an organization with all its applications; asked again, it stays as it was. */
export const requestTenantDeletion = command({
  ...common,
  name: 'tenants.requestDeletion',
  doc: 'Start the deletion of an organization with all its applications',
  takes: { tenantId, ...evidence },
  refuses: ['invalid_request', 'not_found', 'blocked_by_hold'],
  async run(unit, { tenantId, ...seen }) {
    const { now, tools } = unit
    const faults = refuseErrors(faultsOf(seen, unit.by, tools.staffNames, now))
    if (faults) unit.orRefuse(faults)
    const { was } = await unit.ask({ was: owned(tenantId) })
    const { tenant, applications: all } = was
    if (tenant.row.deletion || tenant.row.deletedAt)
      return deletionView(
        tenant.row,
        all.map(({ row }) => row),
      )
    // Those that are pending go with it all the same; those that are being purged are past any hold.
    const going = all.filter(
      (each) => isActive(each) || each.row.lifecycleState === 'pending_deletion',
    )
    const { held, check } = await holdsOfApplications(unit, tenantId, going.map(idOf))
    const [kept] = held
    if (kept !== undefined)
      unit.refuse('blocked_by_hold', `a legal hold covers a data subject of ${kept}`)
    unit.include({ checks: [check] })
    const [by, purgeAt] = [actorName(unit.by), now + tools.deletionGraceMs]
    const request = { type: 'request_deletion', by, purgeAt, held: false } as const
    const after = all.map((each) => {
      if (!isActive(each)) {
        // Its own deletion may be taken back before this commits; it has to be taken along then.
        unit.include({ checks: [unchanged(applications, each)] })
        return each.row
      }
      const row = unwrap(decideLifecycle(each.row, request, now))
      unit.put(applications, row, each)
      unit.wake(workAt({ kind: purgeKind, ref: row.applicationId, tenantId, due: purgeAt }))
      return row
    })
    const deletion: TenantDeletion = {
      ...seen,
      requestedAt: now,
      requestedBy: by,
      purgeAt,
      applicationIds: all.filter(isActive).map(idOf),
    }
    const row: Tenant = { ...tenant.row, deletion, updatedAt: now }
    unit.put(tenants, row, tenant)
    unit.wake(workAt({ kind: tenantDeletionKind, ref: tenantId, tenantId, due: purgeAt }))
    unit.wake(judgementAgain(tenantId))
    const mail = { ...named(row), by: 'the operators of the service', requestedAt: now, purgeAt }
    unit.mail(deletionMail(mail), tenantId)
    unit.audit('tenant.deletion_requested', tenantId, {}, tenantId)
    return deletionView(row, after)
  },
})

/** Takes a deletion back as long as neither a purge nor the removal of the organization's own rows has begun. */
export const cancelTenantDeletion = command({
  ...common,
  name: 'tenants.cancelDeletion',
  doc: 'Take back the deletion of an organization whose purge has not begun',
  takes: { tenantId },
  refuses: ['not_found', 'not_pending', 'purge_started'],
  async run(unit, { tenantId }) {
    const { now } = unit
    const { was, item } = await unit.ask({
      was: owned(tenantId),
      item: rowUnder(workItems, [tenantDeletionKind, tenantId]),
    })
    const { deletion, deletedAt } = was.tenant.row
    if (deletedAt) unit.refuse('purge_started', 'the organization is deleted')
    if (!deletion)
      return unit.refuse('not_pending', 'no deletion of the organization was asked for')
    if (deletion.begunAt !== undefined)
      unit.refuse(
        'purge_started',
        `the organization's own records are being removed since ${isoTime(deletion.begunAt)}`,
      )
    const after: Application[] = []
    for (const each of was.applications) {
      const { applicationId } = each.row
      if (!deletion.applicationIds.includes(applicationId)) {
        after.push(each.row)
        continue
      }
      const row = unit.orRefuse(decideLifecycle(each.row, { type: 'cancel_deletion' }, now))
      after.push(row)
      unit.put(applications, row, each)
      const { purge } = await unit.ask({ purge: rowUnder(workItems, [purgeKind, applicationId]) })
      if (purge) unit.remove(workItems, purge)
    }
    if (item) unit.remove(workItems, item)
    const row: Tenant = { ...was.tenant.row, deletion: null, updatedAt: now }
    unit.put(tenants, row, was.tenant)
    unit.wake(judgementAgain(tenantId))
    unit.mail(deletionCancelledMail(named(row), now), tenantId)
    unit.audit('tenant.deletion_cancelled', tenantId, {}, tenantId)
    return deletionView(row, after)
  },
})

interface Owned {
  readonly tenant: Versioned<Tenant>
  readonly applications: readonly Versioned<Application>[]
}

/** An organization, also as a tombstone, with its applications: whoever adds one writes the organization. */
function owned(tenantId: string): Query<Owned, 'not_found'> {
  const found = { tenant: rowUnder(tenants, [tenantId]), all: applications.by('key', { tenantId }) }
  return mapped(together(found), ({ tenant, all }) =>
    tenant ? { tenant, applications: all.rows } : new Refused('not_found', 'no such organization'),
  )
}

function idOf({ row }: Versioned<Application>): string {
  return row.applicationId
}

function isActive({ row }: Versioned<Application>): boolean {
  return row.lifecycleState === 'active'
}

function named({ tenantId, name }: Tenant) {
  return { name, what: `${name} (${tenantId}) with all its applications` }
}

function deletionView(
  { tenantId, deletion, deletedAt }: Tenant,
  all: readonly Application[],
): TenantDeletionView {
  const begun =
    deletion?.begunAt !== undefined ||
    all.some(
      ({ applicationId, lifecycleState }) =>
        deletion?.applicationIds.includes(applicationId) &&
        (lifecycleState === 'purging' || lifecycleState === 'purged'),
    )
  const pending = begun ? 'purging' : 'pending_deletion'
  return showAll(shownDeletion, {
    tenantId,
    state: deletedAt ? 'deleted' : deletion ? pending : 'active',
    requestedAt: deletion?.requestedAt ?? null,
    purgeAt: deletion?.purgeAt ?? null,
    applications: all,
  })
}

/** Faults of what staff saw that depend on who asks, and when. */
function faultsOf(
  { identity, authorizationForm }: RowsOf<typeof evidence>,
  staff: StaffActor | SystemActor,
  staffNames: readonly string[] | undefined,
  now: number,
): readonly FieldError[] {
  const verifiedBy = identity.verifiedBy.trim()
  const isSame = staff.kind === 'staff' && verifiedBy === staff.name
  const isStaff = staffNames?.includes(verifiedBy) ?? true
  const isAlone = staff.kind === 'staff' && staffNames?.every((name) => name === staff.name)
  const second = isAlone
    ? `; the host knows only ${staff.name}, and a deletion needs a second member of staff`
    : ''
  const expected = [
    ...(isSame ? ['expected another member of staff than the one who asks'] : []),
    ...(isStaff ? [] : [`expected a name of staff, got ${JSON.stringify(verifiedBy)}`]),
  ]
  return [
    ...expected.map((detail) => wrong('/identity/verifiedBy', `${detail}${second}`)),
    ...faultsOfPast(identity.verifiedAt, '/identity/verifiedAt', now),
    ...faultsOfPast(authorizationForm.signedAt, '/authorizationForm/signedAt', now),
  ]
}

/** The fault of a time that has not come, by a clock that may be ahead of this one. */
function faultsOfPast(at: number, pointer: string, now: number): readonly FieldError[] {
  const latest = now + staffClockAheadMs
  if (at <= latest) return []
  return [wrong(pointer, `expected a time in ms since the epoch, at most ${latest}, got ${at}`)]
}
