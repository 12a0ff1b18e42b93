import { authorizeMember } from '../../kernel/callers/authorize.ts'
import { evidenceLimits } from '../../kernel/ledger/limits.ts'
import { readerOf } from '../../kernel/ledger/pages.ts'
import { ok } from '../../kernel/ledger/refusal.ts'
import { entitled } from '../entitled.ts'
import type { EvidenceUseCases } from '../use-cases.ts'
import { accessibleOf, checkApplicationIds } from './applications.ts'
import { bulkMembers } from './bulk.ts'
import type { PackageDeps } from './deps.ts'
import { keptMs, noArchives, startPackage } from './start-package.ts'

/** The latest sessions of applications as an archive. */
export function createBulkExport(deps: PackageDeps): Pick<EvidenceUseCases, 'bulkExport'> {
  const { ledger, archives } = deps
  return {
    async bulkExport(actor, input) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const member = allowed.value
      const { tenantId } = member
      const reader = readerOf(ledger, tenantId)
      const tenant = await entitled(reader, tenantId, 'bulkExport')
      if (!tenant.ok) return tenant
      const asked = checkApplicationIds(input.applicationIds)
      if (!asked.ok) return asked
      if (!archives) return noArchives()
      const applications = await accessibleOf(reader, tenantId, asked.value)
      const applicationIds = applications.map(({ applicationId }) => applicationId)
      return ok(
        await startPackage(deps, archives, {
          member,
          right: 'exportEvidence',
          packType: 'bulk',
          applicationIds,
          scope: {
            applicationIds,
            inaccessibleCount: asked.value.length - applicationIds.length,
            sessionsPerApplication: evidenceLimits.sessionsPerApplication,
          },
          keptMs,
          members: (made) => bulkMembers(deps, applications, made),
        }),
      )
    },
  }
}
