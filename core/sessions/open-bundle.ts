import { applicationOf } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import type { BlobStore } from '../base/ports/blob-store.ts'
import type { Found, Read } from '../base/ports/store.ts'
import {
  type Bundle,
  bundlePath,
  bundles,
  isBlanked,
  type StoredPayload,
} from '../content/payload-records.ts'
import type { SessionKey } from '../content/records.ts'
import { contentIn } from '../content/sealed-contents.ts'
import { type Opening, PayloadError } from '../content/vault/vault.ts'
import { get, one } from '../kernel/ledger/reads.ts'

/** A payload with the step that it is of; null for the session's own. */
export interface PlacedPayload {
  readonly stepId: string | null
  readonly payload: StoredPayload
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The texts of payloads of one bundle as they were sealed, in order; null for content that was erased. That is known
 * from its key, its row, its bundle's row and the purge of its application, never from its blob. Null for all where the
 * bundle was removed since the rows were read. Throws a `PayloadError` for content that is damaged or lost.
 */
export async function openBundle(
  ports: {
    readonly blobs: Pick<BlobStore, 'get'>
    readonly read: (reads: readonly Read[]) => Promise<readonly Found[]>
  },
  { tenantId, applicationId }: Pick<SessionKey, 'tenantId' | 'applicationId'>,
  bundleId: string,
  payloads: readonly PlacedPayload[],
  opening: Pick<Opening, 'open' | 'has' | 'erased'>,
): Promise<readonly (string | null)[] | null> {
  const isKept = ({ payload: { length, subject } }: PlacedPayload) =>
    // An erasure leaves the digest of a payload, and a length of 0.
    length > 0 && opening.has(subject)
  if (!payloads.some(isKept)) return payloads.map(() => null)
  const path = bundlePath({ tenantId, applicationId, bundleId })
  const bytes = await ports.blobs.get(path)
  const sealedOf = ({ payload: { offset, length } }: PlacedPayload) =>
    bytes?.subarray(offset, offset + length)
  /** Short, or overwritten. */
  const isFaulty = (each: PlacedPayload) => {
    const sealed = sealedOf(each)
    return sealed?.length !== each.payload.length || sealed.every((byte) => byte === 0)
  }
  let bundle: Pick<Bundle, 'blanked'> = {}
  if (payloads.some((each) => isKept(each) && isFaulty(each))) {
    const [row, owner] = await ports.read([
      get(bundles, [tenantId, applicationId, bundleId]),
      applicationOf(tenantId, applicationId),
    ])
    const found = one(bundles, row)
    if (!found) return null
    // Blobs go before the rows that name them.
    if (one(applications, owner)?.row.lifecycleState === 'purging') return payloads.map(() => null)
    bundle = found.row
  }
  let last: { readonly of: PlacedPayload; readonly texts: string | null } | null = null
  /** The contents that lie in the range of a payload. */
  function textsIn(placed: PlacedPayload, sealed: Uint8Array): string | null {
    const { stepId, payload } = placed
    if (last && isTogether(last.of, placed)) return last.texts
    const place = { sessionId: payload.sealedFor, stepId }
    const plain = opening.open(payload.subject, place, sealed)
    last = { of: placed, texts: plain && fromUtf8.decode(plain) }
    return last.texts
  }
  return payloads.map((each) => {
    if (!isKept(each) || (isFaulty(each) && isBlanked(bundle, each.payload))) return null
    const { stepId, payload } = each
    const { subject, sealedFor, field, length } = payload
    const sealed = sealedOf(each)
    if (sealed?.length === length) {
      const texts = textsIn(each, sealed)
      if (texts === null) return null
      const text = contentIn(texts, field)
      if (text !== null) return text
      throw new PayloadError(
        'payload_damaged',
        `the row of ${field} of session ${sealedFor}${stepId === null ? '' : `, step ${stepId}`} names a range that holds none: restore rows and blobs from one backup`,
      )
    }
    // What an erasure has removed is no loss, though its subject has a new key.
    if (opening.erased(subject)) return null
    throw new PayloadError(
      'payload_damaged',
      `the blob ${path} is ${bytes ? 'cut short' : 'missing'} and holds ${field} of session ${sealedFor}${stepId === null ? '' : `, step ${stepId}`}: restore it from a backup`,
    )
  })
}

/** Whether two payloads of one bundle were sealed together. */
function isTogether(one: PlacedPayload, other: PlacedPayload): boolean {
  const [a, b] = [one.payload, other.payload]
  const inOneRange = a.offset === b.offset && a.length === b.length
  const atOnePlace = one.stepId === other.stepId && a.sealedFor === b.sealedFor
  return inOneRange && atOnePlace && a.subject === b.subject
}

/** Payloads by the bundle that holds them. */
export function byBundle(
  payloads: readonly PlacedPayload[],
): ReadonlyMap<string, readonly PlacedPayload[]> {
  const bundled = new Map<string, PlacedPayload[]>()
  for (const each of payloads) {
    const others = bundled.get(each.payload.bundleId)
    if (others) others.push(each)
    else bundled.set(each.payload.bundleId, [each])
  }
  return bundled
}
