import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { ChangeSet } from '../ports/store.ts'
import type { VaultOwner } from '../privacy/subject-key.ts'
import { bundlePath, bundles, type StoredPayload } from '../sessions/payload-records.ts'

type Changes = Required<Pick<ChangeSet, 'puts' | 'removes'>>

/**
 * Overwrites sealed content in its bundles with zeros, and removes bundles in which nothing else is left; their rows go
 * with the caller's commit. Idempotent. A row says what was overwritten, and each commit writes it: of two erasures in
 * one bundle the second conflicts, and overwrites again what its own write brought back.
 */
export async function blankPayloads(
  blobs: BlobStore,
  unit: UnitOfWork,
  owner: VaultOwner,
  payloads: readonly StoredPayload[],
): Promise<Changes> {
  const ranges = new Map<string, (readonly [offset: number, length: number])[]>()
  for (const { bundleId, offset, length } of payloads) {
    const others = ranges.get(bundleId)
    if (others) others.push([offset, length])
    else ranges.set(bundleId, [[offset, length]])
  }
  const changes = {
    puts: [] as Changes['puts'][number][],
    removes: [] as Changes['removes'][number][],
  }
  const emptied: string[] = []
  for (const [bundleId, inBundle] of ranges) {
    const key = [owner.tenantId, owner.applicationId, bundleId] as const
    const path = bundlePath({ ...owner, bundleId })
    // The row before the blob: what is overwritten between the two is overwritten again.
    const [found] = await unit.read([get(bundles, key)])
    const was = one(bundles, found)
    const blanked = [...(was?.row.blanked ?? []), ...inBundle]
    const bytes = was && (await blobs.get(path))
    for (const [offset, length] of blanked) bytes?.fill(0, offset, offset + length)
    if (was && bytes?.some((byte) => byte !== 0)) {
      await blobs.put([{ path, bytes }])
      changes.puts.push(put(bundles, { ...was.row, blanked }, was))
    } else {
      emptied.push(path)
      if (was) changes.removes.push({ in: bundles.name, key, version: was.version })
    }
  }
  await blobs.remove(emptied)
  return changes
}

/** The payload's digest without its content. */
export function blanked(payload: StoredPayload): StoredPayload {
  return { ...payload, length: 0 }
}
