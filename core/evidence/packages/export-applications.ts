import { bytesToHex } from '@noble/hashes/utils.js'
import type { Application } from '../../applications/records.ts'
import type { Actor } from '../../kernel/callers/actor.ts'
import { authorizeMember } from '../../kernel/callers/authorize.ts'
import type { PlanFeature } from '../../kernel/callers/plans.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { evidenceLimits } from '../../kernel/ledger/limits.ts'
import { type Reader, readerOf } from '../../kernel/ledger/pages.ts'
import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import type { Tenant } from '../../organizations/access/records.ts'
import { auditorMembers } from '../auditor/auditor-members.ts'
import type { PackageDeps } from '../deps.ts'
import { entitled } from '../entitled.ts'
import type { ApplicationIds, PackageExports, StreamedFile } from '../exports.ts'
import { accessibleOf, checkApplicationIds } from './applications.ts'
import { bulkMembers } from './bulk.ts'
import { logHead } from './log-entries.ts'
import type { PackageOrder } from './order.ts'
import { keptMs, noArchives, startPackage } from './start-package.ts'

/** What is exported of the applications of an organization. */
interface Scope {
  readonly reader: Reader
  readonly tenant: Tenant
  readonly applications: readonly Application[]
}

/** What the archives of applications differ in. */
interface Kind extends Pick<PackageOrder, 'packType'> {
  readonly feature: PlanFeature
  contents(of: Scope): Promise<Pick<PackageOrder, 'scope' | 'erasures' | 'members'>>
}

/** Archives of applications: their latest sessions, and what an auditor checks them by. */
export function createApplicationExports(
  deps: PackageDeps,
): Pick<PackageExports, 'exportBulk' | 'exportAuditor'> {
  const { ledger, archives } = deps

  async function start(
    actor: Actor,
    input: ApplicationIds,
    { packType, feature, contents }: Kind,
  ): Promise<Result<StreamedFile>> {
    const member = authorizeMember(actor, 'exportEvidence')
    if (!member.ok) return member
    const { tenantId } = member.value
    const reader = readerOf(ledger, tenantId)
    const tenant = await entitled(reader, tenantId, feature)
    if (!tenant.ok) return tenant
    const asked = checkApplicationIds(input.applicationIds)
    if (!asked.ok) return asked
    if (!archives) return noArchives()
    const applications = await accessibleOf(reader, tenantId, asked.value)
    const applicationIds = applications.map(({ applicationId }) => applicationId)
    const inaccessibleCount = asked.value.length - applicationIds.length
    const made = await contents({ reader, tenant: tenant.value, applications })
    return ok(
      await startPackage(deps, archives, {
        ...made,
        member: member.value,
        right: 'exportEvidence',
        packType,
        keptMs,
        applicationIds,
        scope: { applicationIds, inaccessibleCount, ...made.scope },
      }),
    )
  }

  return {
    exportBulk: (actor, input) =>
      start(actor, input, {
        packType: 'bulk',
        feature: 'bulkExport',
        contents: async ({ reader, tenant: { tenantId }, applications }) => ({
          scope: { sessionsPerApplication: evidenceLimits.sessionsPerApplication },
          members: (made) => bulkMembers(deps, { reader, tenantId, applications }, made),
        }),
      }),
    exportAuditor: (actor, input) =>
      start(actor, input, {
        packType: 'auditor',
        feature: 'auditorPack',
        async contents({ reader, tenant, applications }) {
          const { position, hash } = await logHead(reader, auditLog, tenant.tenantId)
          const until = { position, hash: hash && bytesToHex(hash) }
          const scope = { tenant, applications, auditLog: until }
          return {
            scope: {},
            erasures: { dataSubjectId: null },
            members: (made) => auditorMembers(deps, scope, made),
          }
        },
      }),
  }
}
