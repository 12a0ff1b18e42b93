import { longest } from '../../kernel/ledger/limits.ts'
import type { SealedMembers } from '../../kernel/sealing/sealed-members.ts'
import { flag, line, type RowsOf, stored, text, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { optional } from '../../kernel/wrap.ts'

/** One version of a tenant's encryption key, under which the data keys of its subjects are wrapped. */
export interface TenantKey {
  /** From 1, never used again. */
  readonly version: number
  /** 32 bytes, sealed for this tenant and version. */
  readonly sealed: Uint8Array
  readonly createdAt: number
}

/** A tenant's keys for personal data, one row per tenant; a commit that wraps a data key checks it. */
export const tenantKeys = table({
  name: 'tenantKeys',
  members: {
    tenantId: line(longest.id),
    /** 32 bytes, sealed; it never changes, since pseudonyms derive from it. */
    pseudonymKey: stored<Uint8Array>(),
    /** Oldest first; the last one wraps new data keys. More than one only during a rotation. */
    keys: stored<readonly TenantKey[]>(),
  },
  key: ['tenantId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
  shred: true,
})
/** One of `tenantKeys`. */
export interface TenantKeys extends RowsOf<typeof tenantKeys.members> {}

/** The subject of a key or of a mark. */
const subject = {
  tenantId: line(longest.id),
  applicationId: line(longest.id),
  /**
   * A pseudonym; `session:<sessionId>` for a session without a data subject; or `submission:<sessionId>` for the text of
   * a submission that names several.
   */
  subjectId: text(longest.id),
}
const key = ['tenantId', 'applicationId', 'subjectId'] as const

/**
 * The key of one data subject's payloads in one application. What was sealed under the data key can't be read without
 * salt and wrapped key, not even with the tenant's key.
 */
export const subjectKeys = table({
  name: 'subjectKeys',
  members: {
    ...subject,
    /** 32 random bytes. */
    salt: stored<Uint8Array>(),
    /** The version of the tenant's key from which the wrapping key derives. */
    keyVersion: stored<number>('int'),
    /** The data key as a frame under HKDF-SHA-256(tenant's key, salt). */
    wrapped: stored<Uint8Array>(),
    /** The id that the application gave, as a frame under the data key; null where it gave a pseudonym or none. */
    sealedId: stored<Uint8Array | null>(),
    createdAt: time,
    /** Nothing was found under it: it is removed unless something is sealed under it in the meantime. */
    retiring: optional(flag),
  },
  key,
  indexes: {
    bySubject: ['tenantId', 'subjectId'],
    byKeyVersion: ['tenantId', 'keyVersion'],
    byApplication: ['applicationId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'keys' },
  retain: { work: 'sessionRetention' },
  shred: true,
})
/** One of `subjectKeys`. */
export interface SubjectKey extends RowsOf<typeof subjectKeys.members> {}

/** Marks a subject whose key was destroyed, so that what its next key does not open reads as erased, not as damaged. */
export const erasedSubjects = table({
  name: 'erasedSubjects',
  members: { ...subject, erasedAt: time },
  key,
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
})
/** One of `erasedSubjects`. */
export interface ErasedSubject extends RowsOf<typeof erasedSubjects.members> {}

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
