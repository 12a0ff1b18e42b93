import { authorizeMember } from '../../access/authorize.ts'
import { applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import { newId } from '../../ledger/ids.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { evidenceLimits } from '../../ledger/limits.ts'
import { checkPage, pageOf } from '../../ledger/page.ts'
import { list, many, one } from '../../ledger/reads.ts'
import { ok, type Result, refuse } from '../../ledger/refusal.ts'
import type { EvidenceUseCases } from '../use-cases.ts'
import { bulkMembers, type PackTally } from './bulk.ts'
import type { PackageDeps } from './deps.ts'
import { packageView } from './present.ts'
import { evidencePackages, packageKeyContext, packageOf, packagePath } from './records.ts'
import { openedCopy } from './sealed-copy.ts'
import { streamPackage } from './stream-package.ts'

type Packages = Pick<
  EvidenceUseCases,
  'bulkExport' | 'listPackages' | 'readPackage' | 'downloadPackage'
>

/** How long a package is kept. */
const keptMs = 7 * 24 * 60 * 60_000
const noPackage = 'no such evidence package'

/** Bulk exports, and packages that were made. */
export function createPackages(deps: PackageDeps): Packages {
  const { ledger, clock, random, signers, portalUrl, archives } = deps
  return {
    async bulkExport(actor, { applicationIds }) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const member = allowed.value
      const asked = [...new Set(applicationIds)]
      const { applicationsPerExport, sessionsPerApplication } = evidenceLimits
      if (asked.length < 1 || asked.length > applicationsPerExport)
        return tooMany(asked.length, applicationsPerExport)
      if (!archives) return refuse('unavailable', 'this deployment makes no archives')
      const { tenantId } = member
      const found = await ledger.read(
        tenantId,
        asked.map((applicationId) => applicationOf(tenantId, applicationId)),
      )
      const accessible = found.flatMap((each) => {
        const row = one(applications, each)?.row
        return row && row.lifecycleState !== 'purging' && row.lifecycleState !== 'purged' ? row : []
      })
      const now = clock.now()
      const signer = await signers.signer(tenantId)
      const packageId = newId('exp', now, random)
      const fileName = `countersign-bulk-${packageId}.zip`
      const tally: PackTally = { sessionCount: 0, subjects: new Set() }
      const ids = accessible.map(({ applicationId }) => applicationId)
      const pieces = streamPackage(deps, archives, {
        member,
        head: {
          packType: 'bulk',
          packageId,
          tenantId,
          createdAt: isoTime(now),
          scope: {
            applicationIds: ids,
            inaccessibleCount: asked.length - ids.length,
            sessionsPerApplication,
          },
        },
        fileName,
        applicationIds: ids,
        createdAt: now,
        expiresAt: now + keptMs,
        signer,
        members: bulkMembers(deps, { applications: accessible, now, signer, tally }),
        tally,
      })
      return ok({ packageId, fileName, mediaType: 'application/zip', pieces })
    },
    async listPackages(actor, query) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const asked = checkPage(query)
      if (!asked.ok) return asked
      const { tenantId } = allowed.value
      const { page, pageSize } = query
      const [found] = await ledger.read(tenantId, [
        list(evidencePackages, {
          where: [['tenantId', '=', tenantId]],
          newest: true,
          skip: (page - 1) * pageSize,
          take: pageSize,
          count: true,
        }),
      ])
      const items = many(evidencePackages, found).map(({ row }) => packageView(row, portalUrl))
      return ok(pageOf(items, found?.total ?? 0, query))
    },
    async readPackage(actor, packageId) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const { tenantId } = allowed.value
      const [found] = await ledger.read(tenantId, [packageOf(tenantId, packageId)])
      const was = one(evidencePackages, found)
      return was ? ok(packageView(was.row, portalUrl)) : refuse('not_found', noPackage)
    },
    async downloadPackage(actor, packageId) {
      const allowed = authorizeMember(actor, 'exportEvidence')
      if (!allowed.ok) return allowed
      const { tenantId } = allowed.value
      const [found] = await ledger.read(tenantId, [packageOf(tenantId, packageId)])
      const row = one(evidencePackages, found)?.row
      if (!row) return refuse('not_found', noPackage)
      if (clock.now() >= row.expiresAt)
        return refuse('package_expired', `the package expired at ${isoTime(row.expiresAt)}`)
      const reader = await deps.blobs.open(packagePath(row))
      // Removed between the two reads.
      if (!reader) return refuse('not_found', noPackage)
      const key = deps.sealer.open(row.key, packageKeyContext(tenantId, packageId))
      const { fileName, mediaType } = row
      const pieces = openedCopy(deps.cipher, key, packageId, reader)
      return ok({ packageId, fileName, mediaType, pieces })
    },
  }
}

function tooMany(came: number, most: number): Result<never> {
  const detail = `applicationIds: expected 1 to ${most} applications, got ${came}`
  const error = { code: 'invalid_value', detail, pointer: '/applicationIds', parameter: null }
  return refuse('invalid_request', detail, { errors: [error] })
}
