import type { BlobStore } from '../../base/ports/blob-store.ts'
import { list, many, removalsOf } from '../../kernel/ledger/reads.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import { workAt } from '../../kernel/work/records.ts'
import type { ApplicationPart } from '../../removal/erasure/deps.ts'
import { type EvidencePackage, evidencePackages, expiredPackages, packagePath } from './records.ts'

const kind = 'evidence.package'
/** An export that has not ended by then was broken off by the end of its process. */
const abandonedAfterMs = 24 * 60 * 60_000

type Place = Pick<EvidencePackage, 'tenantId' | 'packageId'>

/** The clean-up of a package; `due` is ms. */
export function cleanUpAt({ tenantId, packageId }: Place, due: number): ReturnType<typeof workAt> {
  return workAt({ kind, ref: packageId, tenantId, due })
}

/** The clean-up of what an export that is beginning leaves, should its process end. */
export function cleanUpFirst(place: Place, now: number): ReturnType<typeof workAt> {
  return cleanUpAt(place, now + abandonedAfterMs)
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
    const dues = hit.map(({ row }) => cleanUpAt(row, unit.now))
    const items = await unit.read(dues.map(({ item }) => item))
    return {
      set: {
        removes: removalsOf(evidencePackages, hit),
        puts: dues.map(({ schedule }, at) => schedule(unit.now, items[at])),
      },
      count: hit.length,
    }
  },
}
