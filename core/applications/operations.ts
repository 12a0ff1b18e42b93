import { applicationsPerTenant } from '../kernel/ledger/limits.ts'
import { listOf, object } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import { page, place, placeOf } from '../kernel/page.ts'
import { rowUnder } from '../kernel/query.ts'
import type { RowsOf } from '../kernel/shape.ts'
import { optional, optionalEach } from '../kernel/wrap.ts'
import { tenants } from '../organizations/access/records.ts'
import { changedApplication, savedSettings } from './changed-application.ts'
import { applicationHealths } from './health.ts'
import { activeApplication, existingApplication } from './load.ts'
import {
  applicationView,
  type PublicKeys,
  tombstoneView,
  viewAfterwards,
  viewsOf,
} from './present.ts'
import { type Application, applications } from './records.ts'
import {
  anyApplicationShape,
  applicationDefinition,
  applicationShape,
  newApplication,
  shownApplication,
  stage,
} from './view.ts'

const { command, reading } = operationsWith<PublicKeys>()
const { applicationId, version } = shownApplication

/** A page of the tenant's applications, oldest first, without those that are being deleted (interface, Portal host). */
export const listApplications = reading({
  name: 'applications.list',
  doc: 'List applications',
  right: 'readApplications',
  takes: { ...page, stage: optional(stage) },
  gives: object({ applications: listOf(applicationShape), ...place }, 'Applications'),
  refuses: [],
  async run(lookup, { stage, ...asked }) {
    const { tenantId } = lookup.by
    const active = { tenantId, lifecycleState: 'active' } as const
    const { found } = await lookup.ask({
      found:
        stage === undefined
          ? applications.by('byState', active, asked)
          : applications.by('byStage', { ...active, stage }, asked),
    })
    const rows = found.rows.map(({ row }) => row)
    return {
      applications: await viewsOf(lookup, tenantId, rows),
      ...placeOf(found.total, asked),
    }
  },
})

/** Creates an application. An organization has at most `applicationsPerTenant`, deleted ones included. */
export const createApplication = command({
  name: 'applications.create',
  doc: 'Create an application',
  right: 'createApplications',
  takes: newApplication,
  gives: applicationShape,
  refuses: ['application_limit', 'invalid_transition'],
  async run(unit, { settings, ...definition }) {
    const { now } = unit
    const { tenantId } = unit.by
    const { tenant, count } = await unit.ask({
      tenant: rowUnder(tenants, [tenantId]),
      count: applications.count('key', { tenantId }),
    })
    if (!tenant || tenant.row.deletion)
      return unit.refuse('invalid_transition', 'the organization is being deleted')
    if (count >= applicationsPerTenant)
      unit.refuse(
        'application_limit',
        `the organization has ${count} applications, expected fewer than ${applicationsPerTenant}; deleted ones count too`,
      )
    const application: Application = {
      tenantId,
      applicationId: unit.id('app'),
      ...definition,
      lifecycleState: 'active',
      outcomeCallback: null,
      settings: savedSettings(null, settings),
      version: 1,
      createdAt: now,
      updatedAt: now,
    }
    unit.put(applications, application)
    // Writes the tenant so that concurrent decisions on its set of applications conflict: the limit, its deletion.
    unit.put(tenants, tenant.row, tenant)
    unit.audit('application.created', application.applicationId, { stage: definition.stage })
    return applicationView(application, null, null)
  },
})

/** One application, or its tombstone once it was purged. */
export const readApplication = reading({
  name: 'applications.read',
  doc: 'Read an application, or what stays of it',
  right: 'readApplications',
  takes: { applicationId },
  gives: anyApplicationShape,
  refuses: ['not_found'],
  async run(lookup, { applicationId }) {
    const { tenantId } = lookup.by
    const { application } = await lookup.ask({
      application: existingApplication(tenantId, applicationId),
      // For the view, in the same round trip.
      health: rowUnder(applicationHealths, [tenantId, applicationId]),
    })
    const { row } = application
    if (row.lifecycleState === 'purged') return tombstoneView(row)
    const [view] = await viewsOf(lookup, tenantId, [row])
    return view as NonNullable<typeof view>
  },
})

/** Changes name, description and settings. Absent members keep their value; an update without a change commits nothing. */
export const updateApplication = command({
  name: 'applications.update',
  doc: 'Change name, description and thresholds of an application',
  right: 'updateApplications',
  takes: {
    applicationId,
    version: optional(version),
    ...optionalEach(applicationDefinition),
  },
  gives: applicationShape,
  refuses: ['not_found', 'application_gone', 'version_conflict'],
  async run(unit, { applicationId, version, ...given }) {
    const { was } = await unit.ask({ was: activeApplication(unit.by.tenantId, applicationId) })
    if (version !== undefined && version !== was.row.version)
      unit.refuse(
        'version_conflict',
        `expected version ${was.row.version}, got ${version}: the application has changed`,
      )
    const changes = changesOf(was.row, given)
    const names = Object.keys(changes)
    if (names.length === 0) return viewAfterwards(unit, was.row)
    const row = changedApplication(was.row, changes, unit.now)
    unit.put(applications, row, was)
    unit.audit('application.updated', applicationId, {
      changed: names.join(','),
      governanceThreshold: row.settings?.governanceThreshold ?? null,
      qualityThreshold: row.settings?.qualityThreshold ?? null,
    })
    return viewAfterwards(unit, row)
  },
})

type Owned = Pick<Application, 'name' | 'description' | 'settings'>
type Given = RowsOf<ReturnType<typeof optionalEach<typeof applicationDefinition>>>

/** Members that the input changes, with their new values. */
function changesOf(was: Application, given: Given): Partial<Owned> {
  const { name = was.name, description = was.description } = given
  const settings = savedSettings(was.settings ?? null, given.settings)
  return {
    ...(name !== was.name && { name }),
    ...((description ?? null) !== (was.description ?? null) && {
      description: description ?? null,
    }),
    ...((settings?.governanceThreshold !== was.settings?.governanceThreshold ||
      settings?.qualityThreshold !== was.settings?.qualityThreshold) && { settings }),
  }
}

/** Applications themselves (interface, Portal host). */
export const applicationOperations = [
  listApplications,
  createApplication,
  readApplication,
  updateApplication,
] as const
