import { bundlePath, type StoredPayload } from '../../content/payload-records.ts'
import type { StoredStep } from '../../content/records.ts'
import type { VaultOwner } from '../../content/vault/subject-key.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { ErasureDeps } from './deps.ts'

type Holder = Pick<StoredStep, 'payloads'> & Partial<Pick<StoredStep, 'stepId'>>

/**
 * The content that opens under the subject's current key. During an erasure such content came after the earlier key was
 * destroyed; only the key tells the two apart, since clocks differ.
 */
export async function laterContent(
  { vault, blobs }: Pick<ErasureDeps, 'vault' | 'blobs'>,
  unit: UnitOfWork,
  { subjectId, ...owner }: VaultOwner & { readonly subjectId: string },
  rows: readonly Holder[],
): Promise<ReadonlySet<StoredPayload>> {
  const later = new Set<StoredPayload>()
  const opening = vault.opening(await unit.read(vault.reads(owner, [subjectId])), owner, [
    subjectId,
  ])
  if (!opening.has(subjectId)) return later
  const bundles = new Map<string, Uint8Array | null>()
  for (const { stepId = null, payloads } of rows)
    for (const payload of payloads) {
      const { bundleId, offset, length, sealedFor } = payload
      if (payload.subject !== subjectId || length === 0) continue
      const bytes = bundles.get(bundleId) ?? (await blobs.get(bundlePath({ ...owner, bundleId })))
      bundles.set(bundleId, bytes)
      const sealed = bytes?.subarray(offset, offset + length)
      const place = { sessionId: sealedFor, stepId }
      if (sealed && opening.open(subjectId, place, sealed)) later.add(payload)
    }
  return later
}
