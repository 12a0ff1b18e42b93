import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one } from '../ledger/reads.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { ChangeSet } from '../ports/store.ts'
import type { VaultOwner } from '../privacy/subject-key.ts'
import { bundlePath, bundles, type StoredPayload } from '../sessions/records.ts'

type Removes = NonNullable<ChangeSet['removes']>

/**
 * Overwrites sealed content in its bundles with zeros, and removes bundles in which nothing else is left; the rows of
 * these go with the caller's commit. Idempotent.
 */
export async function blankPayloads(
  blobs: BlobStore,
  unit: UnitOfWork,
  owner: VaultOwner,
  payloads: readonly StoredPayload[],
): Promise<Removes> {
  const ranges = new Map<string, StoredPayload[]>()
  for (const payload of payloads) {
    const others = ranges.get(payload.bundleId)
    if (others) others.push(payload)
    else ranges.set(payload.bundleId, [payload])
  }
  const emptied: string[] = []
  for (const [bundleId, inBundle] of ranges) {
    const path = bundlePath({ ...owner, bundleId })
    const bytes = await blobs.get(path)
    for (const { offset, length } of inBundle) bytes?.fill(0, offset, offset + length)
    if (bytes?.some((byte) => byte !== 0)) await blobs.put([{ path, bytes }])
    else emptied.push(bundleId)
  }
  await blobs.remove(emptied.map((bundleId) => bundlePath({ ...owner, bundleId })))
  const keys = emptied.map((bundleId) => [owner.tenantId, owner.applicationId, bundleId] as const)
  const found = await unit.read(keys.map((key) => get(bundles, key)))
  return keys.flatMap((key, at) => {
    const row = one(bundles, found[at])
    return row ? { in: bundles.name, key, version: row.version } : []
  })
}

/** The payload's digest without its content. */
export function blanked(payload: StoredPayload): StoredPayload {
  return { ...payload, length: 0 }
}
