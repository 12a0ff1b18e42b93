import { longest } from '../kernel/ledger/limits.ts'
import { count } from '../kernel/page.ts'
import { line, type RowsOf, stored, time } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { optional } from '../kernel/wrap.ts'

/** The fields of content. */
export type PayloadField = 'input' | 'output' | 'attributes' | 'metadata' | 'submission'
/** What an erasure left of the content; `partly_erased` for sessions alone. */
export const payloadStatuses = ['readable', 'partly_erased', 'erased', 'none'] as const

/**
 * Sealed content: a range of a bundle, the blob that holds all content of one session and request. Contents of one step
 * are sealed together and have the same range.
 */
export interface StoredPayload {
  readonly field: PayloadField
  readonly bundleId: string
  readonly offset: number
  /** Bytes of the sealed content in the bundle; 0 once it was erased. */
  readonly length: number
  /** UTF-8 bytes of the digested text. */
  readonly bytes: number
  /**
   * Hex SHA-256 of the canonical JSON of `[nonce, content]`, the text of `field` among those that are sealed; of a
   * submission, of its canonical JSON.
   */
  readonly digest: string
  /** The vault's subject whose key sealed it. */
  readonly subject: string
  /** The session named in the additional data; another than the step's where that was re-homed. */
  readonly sealedFor: string
}

const id = line(longest.id)
/** Of rows that go with their session, or with its application. */
export const asItsSession = {
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
} as const

/** Blobs with sealed content, each at `tenants/<tenantId>/applications/<applicationId>/<bundleId>`. */
export const bundles = table({
  name: 'bundles',
  members: {
    tenantId: id,
    applicationId: id,
    /** Sorts by time. */
    bundleId: id,
    /** The session that its content belongs to now. */
    sessionId: id,
    bytes: count,
    createdAt: time,
    /** What erasures overwrote, or are about to, as offset and length of each range. */
    blanked: optional(stored<readonly (readonly [offset: number, length: number])[]>()),
  },
  key: ['tenantId', 'applicationId', 'bundleId'],
  indexes: {
    byApplication: ['applicationId'],
    bySession: ['tenantId', 'applicationId', 'sessionId'],
  },
  ...asItsSession,
})
/** One of `bundles`. */
export interface Bundle extends RowsOf<typeof bundles.members> {}

/** The blob's path of a bundle. */
export function bundlePath({
  tenantId,
  applicationId,
  bundleId,
}: Pick<Bundle, 'tenantId' | 'applicationId' | 'bundleId'>): string {
  return `tenants/${tenantId}/applications/${applicationId}/${bundleId}`
}

/** Whether an erasure has overwritten this content of a bundle, or is about to. */
export function isBlanked(
  { blanked = [] }: Pick<Bundle, 'blanked'>,
  payload: Pick<StoredPayload, 'offset' | 'length'>,
): boolean {
  return blanked.some(([offset, length]) => offset === payload.offset && length === payload.length)
}

/** The payload's digest without its content. */
export function blanked(payload: StoredPayload): StoredPayload {
  return { ...payload, length: 0 }
}
