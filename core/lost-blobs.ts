import { applicationOf } from './applications/load.ts'
import { applications } from './applications/records.ts'
import type { BlobStore } from './base/ports/blob-store.ts'
import type { Store } from './base/ports/store.ts'
import {
  type Bundle,
  bundlePath,
  bundles,
  isBlanked,
  type StoredPayload,
} from './content/payload-records.ts'
import { sessions, steps, stepsAfter } from './content/records.ts'
import { subjectKeys } from './content/vault/records.ts'
import { keyOfSubject } from './content/vault/subject-key.ts'
import { evidencePackages, packagePath } from './evidence/packages/records.ts'
import { type Reader, rowsOf } from './kernel/ledger/pages.ts'
import { get, many, one } from './kernel/ledger/reads.ts'

/** A blob that a record needs and that is missing or of another size, though nothing erased it. */
export interface LostBlob {
  readonly path: string
  readonly tenantId: string
  /** Null for the copy of an evidence package. */
  readonly sessionId: string | null
  /** `missing`, or how many bytes are there and how many should be. */
  readonly fault: string
}

type ReadStore = Pick<Store, 'read'>
type Blobs = Pick<BlobStore, 'open'>

/** Steps that one read brings. */
const piece = 200

/**
 * Looks for the blob of every record: bundles of sealed content, copies of evidence packages. Content whose key was
 * destroyed is erased, not lost, and so is that of an application whose purge has begun. The store may change
 * during the search: what seems lost is read again.
 */
export async function* findLostBlobs(store: ReadStore, blobs: Blobs): AsyncGenerator<LostBlob> {
  const everywhere: Reader = { read: (reads) => store.read(null, reads) }
  for await (const row of rowsOf(everywhere, bundles, { where: [] })) {
    const path = bundlePath(row)
    const fault = await faultOf(blobs, path, row.bytes)
    if (fault === null || !(await isNeeded(store, row))) continue
    const { tenantId, sessionId } = row
    yield { path, tenantId, sessionId, fault }
  }
  for await (const row of rowsOf(everywhere, evidencePackages, { where: [] })) {
    const path = packagePath(row)
    const fault = await faultOf(blobs, path, null)
    if (fault === null) continue
    const { tenantId, packageId } = row
    const [again] = await store.read(null, [get(evidencePackages, [tenantId, packageId])])
    if (one(evidencePackages, again)) yield { path, tenantId, sessionId: null, fault }
  }
}

/** Null for a blob that exists and, where `bytes` is known, has that size. */
async function faultOf(blobs: Blobs, path: string, bytes: number | null): Promise<string | null> {
  const found = await blobs.open(path)
  if (!found) return 'missing'
  await found.pieces.return?.()
  return bytes === null || found.size === bytes ? null : `${found.size} bytes of ${bytes}`
}

/** Whether a bundle still has a row, content whose key is still there, and an application that is not being purged. */
async function isNeeded(store: ReadStore, bundle: Bundle): Promise<boolean> {
  const { tenantId, applicationId, bundleId } = bundle
  const [found, owner] = await store.read(null, [
    get(bundles, [tenantId, applicationId, bundleId]),
    applicationOf(tenantId, applicationId),
  ])
  const now = one(bundles, found)?.row
  // A purge removes the blobs before the rows that name them.
  if (!now || one(applications, owner)?.row.lifecycleState === 'purging') return false
  const session = { tenantId, applicationId, sessionId: now.sessionId }
  const [foundSession] = await store.read(null, [
    get(sessions, [tenantId, applicationId, now.sessionId]),
  ])
  const own = one(sessions, foundSession)?.row.payloads ?? []
  if (await isReadable(store, now, own)) return true
  for (let after: string | null = null; ; ) {
    const [page] = await store.read(null, [stepsAfter(session, after, piece)])
    const rows = many(steps, page)
    const payloads = rows.flatMap(({ row }) => row.payloads)
    if (await isReadable(store, now, payloads)) return true
    after = rows.at(-1)?.row.place ?? null
    if (rows.length < piece) return false
  }
}

/** Whether some of these payloads lie in the bundle under a key that is there. */
async function isReadable(
  store: ReadStore,
  bundle: Bundle,
  payloads: readonly StoredPayload[],
): Promise<boolean> {
  const { tenantId, applicationId, bundleId } = bundle
  const within = payloads.filter(
    (each) => each.bundleId === bundleId && each.length > 0 && !isBlanked(bundle, each),
  )
  const subjects = [...new Set(within.map(({ subject }) => subject))]
  if (subjects.length === 0) return false
  const found = await store.read(
    null,
    subjects.map((subject) => get(subjectKeys, keyOfSubject({ tenantId, applicationId }, subject))),
  )
  return found.some((answer) => one(subjectKeys, answer) !== null)
}
