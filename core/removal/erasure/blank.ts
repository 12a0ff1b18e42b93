import type { BlobStore } from '../../base/ports/blob-store.ts'
import type { ChangeSet, Versioned } from '../../base/ports/store.ts'
import {
  type Bundle,
  bundlePath,
  bundles,
  isBlanked,
  type StoredPayload,
} from '../../content/payload-records.ts'
import type { VaultOwner } from '../../content/vault/subject-key.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one, put, removalsOf } from '../../kernel/ledger/reads.ts'

type Changes = Required<Pick<ChangeSet, 'puts' | 'removes'>>

/** The changes that one run makes to bundles. */
interface Blanking extends Changes {
  /** The content is overwritten. If not, the caller commits these puts alone and runs again. */
  readonly isDone: boolean
}

/**
 * Overwrites sealed content in its bundles with zeros, and removes bundles that hold nothing else; their rows go with the
 * caller's commit. An earlier commit records in the rows which ranges will be overwritten, so that readers take them for
 * erased and not for damaged. Idempotent. Each commit writes the rows: of two erasures in one bundle the second
 * conflicts, and overwrites again the content that its own write restored.
 */
export async function blankPayloads(
  blobs: BlobStore,
  unit: UnitOfWork,
  owner: VaultOwner,
  payloads: readonly StoredPayload[],
): Promise<Blanking> {
  const ranges = new Map<string, StoredPayload[]>()
  for (const payload of payloads) {
    const others = ranges.get(payload.bundleId)
    if (!others) ranges.set(payload.bundleId, [payload])
    // Contents of a step share a range.
    else if (others.at(-1)?.offset !== payload.offset) others.push(payload)
  }
  const found: { readonly bundleId: string; readonly was: Versioned<Bundle> | null }[] = []
  // Rows are read before blobs: content that another erasure overwrites in between is overwritten again.
  for (const bundleId of ranges.keys()) {
    const [row] = await unit.read([get(bundles, [owner.tenantId, owner.applicationId, bundleId])])
    found.push({ bundleId, was: one(bundles, row) })
  }
  const declared = found.flatMap(({ bundleId, was }) => {
    const added = (ranges.get(bundleId) ?? []).filter((each) => was && !isBlanked(was.row, each))
    if (!was || added.length === 0) return []
    const blanked = [
      ...(was.row.blanked ?? []),
      ...added.map(({ offset, length }) => [offset, length] as const),
    ]
    return put(bundles, { ...was.row, blanked }, was)
  })
  return declared.length > 0
    ? { isDone: false, puts: declared, removes: [] }
    : { isDone: true, ...(await overwrite(blobs, owner, found)) }
}

async function overwrite(
  blobs: BlobStore,
  owner: VaultOwner,
  found: readonly { readonly bundleId: string; readonly was: Versioned<Bundle> | null }[],
): Promise<Changes> {
  const changes = {
    puts: [] as Changes['puts'][number][],
    removes: [] as Changes['removes'][number][],
  }
  const emptied: string[] = []
  for (const { bundleId, was } of found) {
    const path = bundlePath({ ...owner, bundleId })
    const bytes = was && (await blobs.get(path))
    for (const [offset, length] of was?.row.blanked ?? []) bytes?.fill(0, offset, offset + length)
    if (was && bytes?.some((byte) => byte !== 0)) {
      await blobs.put([{ path, bytes }])
      changes.puts.push(put(bundles, was.row, was))
    } else {
      emptied.push(path)
      if (was) changes.removes.push(...removalsOf(bundles, [was]))
    }
  }
  await blobs.remove(emptied)
  return changes
}
