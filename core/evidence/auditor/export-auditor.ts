import { bytesToHex } from '@noble/hashes/utils.js'
import { authorizeMember } from '../../kernel/callers/authorize.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { readerOf } from '../../kernel/ledger/pages.ts'
import { ok } from '../../kernel/ledger/refusal.ts'
import { entitled } from '../entitled.ts'
import { accessibleOf, checkApplicationIds } from '../packages/applications.ts'
import type { PackageDeps } from '../packages/deps.ts'
import { logHead } from '../packages/log-entries.ts'
import { keptMs, noArchives, startPackage } from '../packages/start-package.ts'
import type { EvidenceUseCases } from '../use-cases.ts'
import { auditorMembers } from './auditor-members.ts'

/** What an auditor checks an organization by. */
export function createAuditorExport(deps: PackageDeps): Pick<EvidenceUseCases, 'auditorPack'> {
  const { ledger, archives } = deps
  return {
    async auditorPack(actor, input) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const member = allowed.value
      const { tenantId } = member
      const reader = readerOf(ledger, tenantId)
      const tenant = await entitled(reader, tenantId, 'auditorPack')
      if (!tenant.ok) return tenant
      const asked = checkApplicationIds(input.applicationIds)
      if (!asked.ok) return asked
      if (!archives) return noArchives()
      const applications = await accessibleOf(reader, tenantId, asked.value)
      const applicationIds = applications.map(({ applicationId }) => applicationId)
      const head = await logHead(reader, auditLog, tenantId)
      return ok(
        await startPackage(deps, archives, {
          member,
          right: 'exportEvidence',
          packType: 'auditor',
          applicationIds,
          scope: {
            applicationIds,
            inaccessibleCount: asked.value.length - applicationIds.length,
            auditLog: { position: head.position, hash: head.hash && bytesToHex(head.hash) },
          },
          keptMs,
          erasures: { dataSubjectId: null },
          members: (made) =>
            auditorMembers(
              deps,
              { tenant: tenant.value, applications, auditLogUntil: head.position },
              made,
            ),
        }),
      )
    },
  }
}
