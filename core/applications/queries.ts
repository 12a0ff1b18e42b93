import { authorizeMember } from '../access/authorize.ts'
import { checkOneOf, type Errors, refuseErrors } from '../ledger/input-errors.ts'
import { checkPage, pageOf } from '../ledger/page.ts'
import { list, many, one } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import type { ApplicationDeps } from './deps.ts'
import { type ApplicationHealth, applicationHealths, healthOf } from './health.ts'
import { active, applicationOf, existing } from './load.ts'
import { anyApplicationView, applicationView } from './present.ts'
import { type Application, applications } from './records.ts'
import type { ApplicationUseCases } from './use-cases.ts'
import { type ApplicationStage, applicationStages } from './view.ts'

/** Oldest first; what is being deleted is hidden (interface, Portal host). */
export function listApplications(ports: ApplicationDeps): ApplicationUseCases['list'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readApplications')
    if (!member.ok) return member
    const paging = checkPage(query)
    if (!paging.ok) return paging
    const { stage } = query
    const malformed = refuseErrors(checkStage(stage))
    if (malformed) return malformed
    const { tenantId } = member.value
    const [found] = await ports.ledger.read(tenantId, [
      list(applications, {
        by: stage === undefined ? 'byState' : 'byStage',
        where: [
          ['tenantId', '=', tenantId],
          ['lifecycleState', '=', 'active'],
          ...(stage === undefined ? [] : [['stage', '=', stage] as const]),
        ],
        skip: (query.page - 1) * query.pageSize,
        take: query.pageSize,
        count: true,
      }),
    ])
    const rows = many(applications, found).map(({ row }) => row)
    const publicKey = await publicKeyFor(ports, tenantId, rows)
    const healths = await healthsOf(ports, tenantId, rows)
    const items = rows.map((row, at) => applicationView(row, publicKey, healths[at] ?? null))
    return ok(pageOf(items, found?.total ?? 0, query))
  }
}

/** Checks the filter of the list, a query parameter. */
function checkStage(stage: ApplicationStage | undefined): Errors {
  if (stage === undefined) return []
  return checkOneOf(stage, applicationStages, 'stage').map(({ pointer, ...error }) => ({
    ...error,
    pointer: null,
    parameter: pointer,
  }))
}

export function checkActive({ ledger }: ApplicationDeps): ApplicationUseCases['checkActive'] {
  return async ({ tenantId, applicationId }) => {
    const [found] = await ledger.read(tenantId, [applicationOf(tenantId, applicationId)])
    const application = active(found)
    return application.ok ? ok(null) : application
  }
}

export function readApplication(ports: ApplicationDeps): ApplicationUseCases['read'] {
  return async (actor, applicationId) => {
    const member = authorizeMember(actor, 'readApplications')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [found, foundHealth] = await ports.ledger.read(tenantId, [
      applicationOf(tenantId, applicationId),
      healthOf(tenantId, applicationId),
    ])
    const application = existing(found)
    if (!application.ok) return application
    const { row } = application.value
    const publicKey = await publicKeyFor(ports, tenantId, [row])
    const health = one(applicationHealths, foundHealth)?.row ?? null
    return ok(anyApplicationView(row, publicKey, health))
  }
}

/** The health of each application, null where none was judged. */
export async function healthsOf(
  { ledger }: Pick<ApplicationDeps, 'ledger'>,
  tenantId: string,
  shown: readonly Application[],
): Promise<readonly (ApplicationHealth | null)[]> {
  const found = await ledger.read(
    tenantId,
    shown.map(({ applicationId }) => healthOf(tenantId, applicationId)),
  )
  return found.map((each) => one(applicationHealths, each)?.row ?? null)
}

/** Null without a callback that shows it: asking would create the tenant's first key, and a read must not write. */
export async function publicKeyFor(
  ports: Pick<ApplicationDeps, 'publicKeyOf'>,
  tenantId: string,
  shown: readonly Application[],
): Promise<string | null> {
  const signs = shown.some(({ outcomeCallback }) => outcomeCallback?.method === 'ed25519')
  return signs ? ports.publicKeyOf(tenantId) : null
}
