import type { BlobStore } from '../base/ports/blob-store.ts'
import { bundles } from '../content/payload-records.ts'
import { placeOf } from '../content/records.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { handler, type WorkHandler } from '../kernel/work/handler.ts'

const dayMs = 86_400_000
/** Blobs of one run. */
const piece = 500
const form = /^tenants\/([^/]+)\/applications\/([^/]+)\/(bun_[0-9a-z]{26})$/
/** The characters of an id that encode its time, behind the prefix. */
const time = { from: 4, to: 14 } as const

/**
 * Removes bundles to which no row refers: a crash or a conflict between the blob and its commit left them. Those of the
 * last 24 hours may still get their row.
 */
export function createBundleSweep({ blobs }: { readonly blobs: BlobStore }): WorkHandler {
  return handler<{ readonly after: string } | null>({
    kind: 'ingest.bundles',
    of: 'system',
    permanent: ['all'],
    run: async (unit, { state }) => {
      const after = state?.after ?? null
      const entries = await blobs.list({ prefix: 'tenants/', after, take: piece })
      const before = placeOf(Math.max(0, unit.now - dayMs))
      const old = entries.flatMap(({ path }) => {
        const [, tenantId, applicationId, bundleId] = form.exec(path) ?? []
        if (!tenantId || !applicationId || !bundleId) return []
        if (bundleId.slice(time.from, time.to) >= before) return []
        return [{ path, key: [tenantId, applicationId, bundleId] as const }]
      })
      const found = await unit.read(old.map(({ key }) => get(bundles, key)))
      const orphans = old.filter((_, at) => one(bundles, found[at]) === null)
      if (orphans.length > 0) await blobs.remove(orphans.map(({ path }) => path))
      const last = entries.at(-1)?.path
      return entries.length === piece && last
        ? { next: unit.now, state: { after: last } }
        : { next: unit.now + dayMs, state: null }
    },
  })
}
