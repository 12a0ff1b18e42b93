import type { Collection } from '../base/ports/store.ts'

/** The fields of content, each sealed for itself. */
export type PayloadField = 'input' | 'output' | 'attributes' | 'metadata' | 'submission'
/** What an erasure left of the content; `partly_erased` for sessions alone. */
export type PayloadStatus = 'readable' | 'partly_erased' | 'erased' | 'none'

/** Sealed content: a range of a bundle, the blob that holds all content of one session and request. */
export interface StoredPayload {
  readonly field: PayloadField
  readonly bundleId: string
  readonly offset: number
  /** Bytes of the sealed content in the bundle; 0 once it was erased. */
  readonly length: number
  /** UTF-8 bytes of the digested text. */
  readonly bytes: number
  /**
   * Hex SHA-256 of the canonical JSON of `[nonce, content]`, the text that is sealed; of a submission, of that text
   * alone.
   */
  readonly digest: string
  /** The vault's subject whose key sealed it. */
  readonly subject: string
  /** The session named in the additional data; another than the step's where that was re-homed. */
  readonly sealedFor: string
}

/** A blob with sealed content, at `tenants/<tenantId>/applications/<applicationId>/<bundleId>`. */
export interface Bundle {
  readonly tenantId: string
  readonly applicationId: string
  /** Sorts by time. */
  readonly bundleId: string
  /** The session that its content belongs to now. */
  readonly sessionId: string
  readonly bytes: number
  readonly createdAt: number
  /** What erasures overwrote, or are about to, as offset and length of each payload. */
  readonly blanked?: readonly (readonly [offset: number, length: number])[]
}

export const bundles: Collection<Bundle> = {
  name: 'bundles',
  key: ['tenantId', 'applicationId', 'bundleId'],
  columns: { tenantId: 'text', applicationId: 'text', bundleId: 'text', sessionId: 'text' },
  indexes: {
    byApplication: ['applicationId'],
    bySession: ['tenantId', 'applicationId', 'sessionId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

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
