import type { BlobStore } from '../../base/ports/blob-store.ts'
import type { Put, Read } from '../../base/ports/store.ts'
import { get, list, many, one, removalsOf } from '../../kernel/ledger/reads.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import { schedule, type WorkItem, workItems } from '../../kernel/work/records.ts'
import type { ApplicationPart } from '../../removal/erasure/deps.ts'
import { type EvidencePackage, evidencePackages, expiredPackages, packagePath } from './records.ts'

const kind = 'evidence.package'
/** An export that has not ended by then was broken off by the end of its process. */
const abandonedAfterMs = 24 * 60 * 60_000

/** The read whose answer `cleanUpAt` takes. */
export function cleanUpOf(packageId: string): Read {
  return get(workItems, [kind, packageId])
}

/** Sees to it that nothing of an export that is beginning stays, should its process end. */
export function cleanUpFirst(tenantId: string, packageId: string, now: number): Put {
  return schedule({
    kind,
    ref: packageId,
    tenantId,
    applicationId: null,
    due: now + abandonedAfterMs,
  })
}

/** Moves the clean-up of a package; `due` is ms. */
export function cleanUpAt(
  { tenantId, packageId }: Pick<EvidencePackage, 'tenantId' | 'packageId'>,
  due: number,
  was: { readonly rows: readonly unknown[] } | undefined,
): Put {
  const item = one(workItems, was as Parameters<typeof one<WorkItem>>[1])
  return schedule({ kind, ref: packageId, tenantId, applicationId: null, due }, item)
}

/** Removes a package once it has expired, and the copy of one that never came to be: the row first, then the blob. */
export function createPackageCleanUp({ blobs }: { readonly blobs: BlobStore }): WorkHandler {
  return handler({
    kind,
    async run(unit, { tenantId, ref: packageId }) {
      const { was } = await unit.ask({ was: evidencePackages.get(tenantId, packageId) })
      if (!was) {
        await blobs.remove([packagePath({ tenantId, packageId })])
        return null
      }
      const { forAdmins, expiresAt } = was.row
      if (unit.now < expiresAt) return expiresAt
      unit.remove(evidencePackages, was)
      unit.put(expiredPackages, { tenantId, packageId, forAdmins, expiredAt: expiresAt })
      return unit.now
    },
  })
}

/** Packages that one commit removes. */
const atOnce = 50

/** Removes the packages that have data of applications: for its erasures and its purge. */
export const packagesPart: ApplicationPart = {
  name: 'evidence packages',
  async remove(unit, { tenantId, applicationIds }) {
    const [found] = await unit.read([
      list(evidencePackages, { where: [['tenantId', '=', tenantId]], take: 100_000 }),
    ])
    const hit = many(evidencePackages, found)
      .filter(({ row }) => row.applicationIds.some((each) => applicationIds.includes(each)))
      .slice(0, atOnce)
    if (hit.length === 0) return null
    const items = await unit.read(hit.map(({ row }) => cleanUpOf(row.packageId)))
    return {
      set: {
        removes: removalsOf(evidencePackages, hit),
        puts: hit.map(({ row }, at) => cleanUpAt(row, unit.now, items[at])),
      },
      count: hit.length,
    }
  },
}
