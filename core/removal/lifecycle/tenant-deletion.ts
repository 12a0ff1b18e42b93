import { decideLifecycle } from '../../applications/lifecycle.ts'
import { type Application, applications, purgeKind } from '../../applications/records.ts'
import type { Check, Put, Versioned } from '../../base/ports/store.ts'
import { actorName, type StaffActor, type SystemActor } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { checkLine, checkName } from '../../kernel/ledger/check-text.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/ledger/iso-time.ts'
import { answer, commit, refusal, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { longest, staffClockAheadMs } from '../../kernel/ledger/limits.ts'
import { everyRow, get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { type FieldError, ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import { executeAsStaff } from '../../organizations/access/execute-as.ts'
import { type Tenant, type TenantDeletion, tenants } from '../../organizations/access/records.ts'
import { judgeAgain, judgementItemOf } from '../../policies/judgement/item.ts'
import { deletionCancelledMail, deletionMail } from './deletion-mail.ts'
import type { LifecycleDeps } from './deps.ts'
import { holdsOfApplications } from './holds.ts'
import type { DeletionUseCases, TenantDeletionInput } from './use-cases.ts'
import type { TenantDeletionView } from './view.ts'

const right = 'deleteTenants'
/** The kind of the work item that ends a tenant's deletion; its `ref` is the tenant. */
export const tenantDeletionKind = 'tenant.deletion'

export function requestTenantDeletion(
  deps: LifecycleDeps,
): DeletionUseCases['requestTenantDeletion'] {
  return async (actor, tenantId, input) => {
    const command = { actor, right, tenantId } as const
    return executeAsStaff<TenantDeletionView>(deps.ledger, command, async (unit, staff) => {
      const malformed = refuseErrors(checkInput(input, staff, deps.staffNames, unit.now))
      if (malformed) return refusal(malformed)
      const { tenant, all, item, judgement } = await load(unit, tenantId)
      if (!tenant) return refusal(refuse('not_found', 'no such organization'))
      if (tenant.row.deletion || tenant.row.deletedAt)
        return answer(deletionView(tenant.row, rowsOf(all)))
      const due = { by: actorName(staff), purgeAt: unit.now + deps.deletionGraceMs }
      const planned = await planApplications(unit, tenantId, all, due)
      if (!planned.ok) return refusal(planned)
      const { check, puts, after } = planned.value
      const deletion: TenantDeletion = {
        ...input,
        requestedAt: unit.now,
        requestedBy: due.by,
        purgeAt: due.purgeAt,
        applicationIds: all.filter(isActive).map(({ row }) => row.applicationId),
      }
      const row: Tenant = { ...tenant.row, deletion, updatedAt: unit.now }
      const ending = { kind: tenantDeletionKind, ref: tenantId, tenantId, applicationId: null }
      return commit(
        {
          checks: [check],
          puts: [
            put(tenants, row, tenant),
            schedule({ ...ending, due: due.purgeAt }, item),
            ...judgement,
            ...puts,
            ...deletionMail(deps.post, unit, {
              ...named(tenant.row),
              by: 'the operators of the service',
              purgeAt: due.purgeAt,
            }),
          ],
          appends: [entryOf(tenantId, 'tenant.deletion_requested', due.by, unit.now)],
        },
        deletionView(row, after),
      )
    })
  }
}

/** The applications that go with their organization: active ones from now on, unless a hold keeps one that could go. */
async function planApplications(
  unit: UnitOfWork,
  tenantId: string,
  all: readonly Versioned<Application>[],
  { by, purgeAt }: { readonly by: string; readonly purgeAt: number },
): Promise<
  Result<{
    readonly check: Check
    readonly puts: readonly Put[]
    readonly after: readonly Application[]
  }>
> {
  const going = all
    .filter((each) => isActive(each) || each.row.lifecycleState === 'pending_deletion')
    .map(({ row }) => row.applicationId)
  const { held, check } = await holdsOfApplications(unit, tenantId, going)
  const [kept] = held
  if (kept !== undefined)
    return refuse('blocked_by_hold', `a legal hold covers a data subject of ${kept}`)
  const puts: Put[] = []
  const after: Application[] = []
  for (const was of all) {
    if (!isActive(was)) {
      after.push(was.row)
      continue
    }
    const request = { type: 'request_deletion', by, purgeAt, held: false } as const
    const decided = decideLifecycle(was.row, request, unit.now)
    if (!decided.ok) return decided
    after.push(decided.value)
    const { applicationId } = was.row
    const carried = { kind: purgeKind, ref: applicationId, tenantId, applicationId: null }
    puts.push(
      put(applications, decided.value, was),
      schedule({ ...carried, due: purgeAt }, await itemOf(unit, applicationId)),
    )
  }
  return ok({ check, puts, after })
}

function isActive({ row }: Versioned<Application>): boolean {
  return row.lifecycleState === 'active'
}

export function cancelTenantDeletion(
  deps: LifecycleDeps,
): DeletionUseCases['cancelTenantDeletion'] {
  return async (actor, tenantId) => {
    const command = { actor, right, tenantId } as const
    return executeAsStaff<TenantDeletionView>(deps.ledger, command, async (unit, staff) => {
      const { tenant, all, item, judgement } = await load(unit, tenantId)
      if (!tenant) return refusal(refuse('not_found', 'no such organization'))
      const { deletion, deletedAt } = tenant.row
      if (deletedAt) return refusal(refuse('purge_started', 'the organization is deleted'))
      if (!deletion)
        return refusal(refuse('not_pending', 'no deletion of the organization was asked for'))
      if (deletion.begunAt !== undefined)
        return refusal(
          refuse(
            'purge_started',
            `the organization's own records are being removed since ${isoTime(deletion.begunAt)}`,
          ),
        )
      const puts: Put[] = []
      const removes = []
      const after: Application[] = []
      for (const was of all) {
        const { applicationId } = was.row
        if (!deletion.applicationIds.includes(applicationId)) {
          after.push(was.row)
          continue
        }
        const decided = decideLifecycle(was.row, { type: 'cancel_deletion' }, unit.now)
        if (!decided.ok) return refusal(decided)
        after.push(decided.value)
        puts.push(put(applications, decided.value, was))
        const carried = await itemOf(unit, applicationId)
        if (carried) removes.push(removalOf(purgeKind, applicationId, carried.version))
      }
      if (item) removes.push(removalOf(tenantDeletionKind, tenantId, item.version))
      const row: Tenant = { ...tenant.row, deletion: null, updatedAt: unit.now }
      return commit(
        {
          puts: [
            put(tenants, row, tenant),
            ...judgement,
            ...puts,
            ...deletionCancelledMail(deps.post, unit, named(tenant.row)),
          ],
          removes,
          appends: [entryOf(tenantId, 'tenant.deletion_cancelled', actorName(staff), unit.now)],
        },
        deletionView(row, after),
      )
    })
  }
}

function named({ tenantId, name }: Tenant) {
  return { tenantId, name, what: `${name} (${tenantId}) with all its applications` }
}

async function load(unit: UnitOfWork, tenantId: string) {
  const [tenant, all, item, judgement] = await unit.read([
    get(tenants, [tenantId]),
    list(applications, { where: [['tenantId', '=', tenantId]], take: everyRow }),
    get(workItems, [tenantDeletionKind, tenantId]),
    judgementItemOf(tenantId),
  ])
  return {
    tenant: one(tenants, tenant),
    all: many(applications, all),
    item: one(workItems, item),
    judgement: judgeAgain({ tenantId, now: unit.now }, judgement),
  }
}

async function itemOf(unit: UnitOfWork, applicationId: string) {
  const [found] = await unit.read([get(workItems, [purgeKind, applicationId])])
  return one(workItems, found)
}

function removalOf(kind: string, ref: string, version: number) {
  return { in: workItems.name, key: [kind, ref] as const, version }
}

function rowsOf(all: readonly Versioned<Application>[]): readonly Application[] {
  return all.map(({ row }) => row)
}

function entryOf(tenantId: string, action: string, actor: string, now: number) {
  return audit(tenantId, { at: isoTime(now), actor, action, subject: tenantId, detail: {} })
}

function deletionView(tenant: Tenant, all: readonly Application[]): TenantDeletionView {
  const { tenantId, deletion, deletedAt } = tenant
  const begun =
    deletion?.begunAt !== undefined ||
    all.some(
      ({ applicationId, lifecycleState }) =>
        deletion?.applicationIds.includes(applicationId) &&
        (lifecycleState === 'purging' || lifecycleState === 'purged'),
    )
  const pending = begun ? 'purging' : 'pending_deletion'
  return {
    tenantId,
    state: deletedAt ? 'deleted' : deletion ? pending : 'active',
    requestedAt: isoTimeOrNull(deletion?.requestedAt ?? null),
    purgeAt: isoTimeOrNull(deletion?.purgeAt ?? null),
    applications: all.map(({ applicationId, lifecycleState }) => ({
      applicationId,
      lifecycleState,
    })),
  }
}

const hexDigest = /^[0-9a-f]{64}$/

function checkInput(
  { ticket, identity, authorizationForm: form }: TenantDeletionInput,
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
  return [
    ...checkName(ticket, '/ticket', longest.id),
    ...checkName(identity.method, '/identity/method', longest.id),
    ...checkLine(identity.verifiedBy, '/identity/verifiedBy', longest.id),
    ...(isSame
      ? [
          wrong(
            '/identity/verifiedBy',
            `expected another member of staff than the one who asks${second}`,
          ),
        ]
      : []),
    ...(isStaff
      ? []
      : [
          wrong(
            '/identity/verifiedBy',
            `expected a name of staff, got ${JSON.stringify(verifiedBy)}${second}`,
          ),
        ]),
    ...checkPast(identity.verifiedAt, '/identity/verifiedAt', now),
    ...(hexDigest.test(form.sha256)
      ? []
      : [wrong('/authorizationForm/sha256', 'expected 64 lower-case hex digits')]),
    ...checkName(form.signedBy, '/authorizationForm/signedBy', longest.name),
    ...checkPast(form.signedAt, '/authorizationForm/signedAt', now),
  ]
}

/** Whether a time has come, by a clock that may be ahead of this one. */
function checkPast(at: number, pointer: string, now: number): readonly FieldError[] {
  const latest = now + staffClockAheadMs
  return Number.isSafeInteger(at) && at <= latest
    ? []
    : [wrong(pointer, `expected a time in ms since the epoch, at most ${latest}, got ${at}`)]
}
