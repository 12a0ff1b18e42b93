import type { Collection } from '../../base/ports/store.ts'
import type { SealedMembers } from '../../kernel/sealing/sealed-members.ts'

/** One version of a tenant's encryption key, under which the data keys of its subjects are wrapped. */
export interface TenantKey {
  /** From 1, never used again. */
  readonly version: number
  /** 32 bytes, sealed for this tenant and version. */
  readonly sealed: Uint8Array
  readonly createdAt: number
}

/** A tenant's keys for personal data. */
export interface TenantKeys {
  readonly tenantId: string
  /** 32 bytes, sealed; the same for good, since pseudonyms derive from it. */
  readonly pseudonymKey: Uint8Array
  /** Oldest first; the last one wraps new data keys. More than one during a rotation alone. */
  readonly keys: readonly TenantKey[]
}

/** One row per tenant; a commit that wraps a data key checks it. */
export const tenantKeys: Collection<TenantKeys> = {
  name: 'tenantKeys',
  key: ['tenantId'],
  columns: { tenantId: 'text' },
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
  shred: true,
}

/**
 * The key of one data subject's payloads in one application. Without salt and wrapped key nothing that was sealed under
 * the data key can be read, with the tenant's key neither.
 */
export interface SubjectKey {
  readonly tenantId: string
  readonly applicationId: string
  /**
   * A pseudonym; `session:<sessionId>` for a session without a data subject; or `submission:<sessionId>` for the text of
   * a submission that names several.
   */
  readonly subjectId: string
  /** 32 random bytes. */
  readonly salt: Uint8Array
  /** The version of the tenant's key from which the wrapping key derives. */
  readonly keyVersion: number
  /** The data key as a frame under HKDF-SHA-256(tenant's key, salt). */
  readonly wrapped: Uint8Array
  /** The id that the application gave, as a frame under the data key; null where it gave a pseudonym or none. */
  readonly sealedId: Uint8Array | null
  readonly createdAt: number
  /** Nothing was found under it: it goes, unless what is sealed meanwhile takes this back. */
  readonly retiring?: boolean
}

export const subjectKeys: Collection<SubjectKey> = {
  name: 'subjectKeys',
  key: ['tenantId', 'applicationId', 'subjectId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    subjectId: 'text',
    keyVersion: 'int',
  },
  indexes: {
    bySubject: ['tenantId', 'subjectId'],
    byKeyVersion: ['tenantId', 'keyVersion'],
    byApplication: ['applicationId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'keys' },
  retain: { work: 'sessionRetention' },
  shred: true,
}

/** Marks a subject whose key was destroyed, so that what its next key does not open reads as erased, not as damaged. */
export interface ErasedSubject {
  readonly tenantId: string
  readonly applicationId: string
  readonly subjectId: string
  readonly erasedAt: number
}

export const erasedSubjects: Collection<ErasedSubject> = {
  name: 'erasedSubjects',
  key: ['tenantId', 'applicationId', 'subjectId'],
  columns: { tenantId: 'text', applicationId: 'text', subjectId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

/** The sealing context of a tenant's key. */
export function tenantKeyContext(tenantId: string, version: number): string {
  return JSON.stringify(['tenant key', tenantId, version])
}

/** The sealing context of a tenant's pseudonym key. */
export function pseudonymKeyContext(tenantId: string): string {
  return JSON.stringify(['pseudonym key', tenantId])
}

export const sealedTenantKeys: SealedMembers<TenantKeys> = {
  collection: tenantKeys,
  map: (row, change) => ({
    ...row,
    pseudonymKey: change(row.pseudonymKey, pseudonymKeyContext(row.tenantId)),
    keys: row.keys.map((key) => ({
      ...key,
      sealed: change(key.sealed, tenantKeyContext(row.tenantId, key.version)),
    })),
  }),
}
