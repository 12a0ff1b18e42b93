import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import type { Cipher } from '../../base/ports/cipher.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Key, Put } from '../../base/ports/store.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { openFrame, sealFrame } from './frame.ts'
import type { SubjectName } from './pseudonym.ts'
import { type SubjectKey, subjectKeys } from './records.ts'
import type { OpenKeys } from './tenant-keys.ts'

/** The application whose subjects are meant. */
export interface VaultOwner {
  readonly tenantId: string
  readonly applicationId: string
}

const keyBytes = 32
const utf8 = new TextEncoder()
const info = utf8.encode('countersign/subject/v1')

/** The key of a subject's row. */
export function keyOfSubject({ tenantId, applicationId }: VaultOwner, subjectId: string): Key {
  return [tenantId, applicationId, subjectId] as const
}

/** Names a subject's key: hex of its salt, which stays when the tenant's key is replaced. */
export function keyIdOf({ salt }: SubjectKey): string {
  return bytesToHex(salt)
}

/** The key that wraps a subject's data key. */
function wrappingKey(master: Uint8Array, salt: Uint8Array): Uint8Array {
  return hkdf(sha256, master, salt, info, keyBytes)
}

/** The data key of a row; null when it does not open under this key of the tenant. */
export function unwrapDataKey(
  cipher: Cipher,
  master: Uint8Array,
  row: SubjectKey,
): Uint8Array | null {
  const additional = wrapData(row, row.subjectId)
  return openFrame(cipher, wrappingKey(master, row.salt), row.wrapped, additional)
}

/** The subject's key under another version of the tenant's; salt and data key stay. Null when it does not open. */
export function rewrapped(
  ports: { readonly cipher: Cipher; readonly random: Random },
  keys: OpenKeys,
  row: SubjectKey,
): SubjectKey | null {
  const from = keys.keys.get(row.keyVersion)
  const to = keys.keys.get(keys.current)
  const key = from && unwrapDataKey(ports.cipher, from, row)
  if (!key || !to) return null
  const wrapped = sealFrame(ports, wrappingKey(to, row.salt), key, wrapData(row, row.subjectId))
  return { ...row, keyVersion: keys.current, wrapped }
}

/** A subject's first key, or its next after an erasure, and the put of its row. */
export function newKey(
  ports: { readonly cipher: Cipher; readonly random: Random },
  keys: OpenKeys,
  made: VaultOwner & { readonly subject: SubjectName | undefined; readonly now: number },
): { readonly key: Uint8Array; readonly put: Put } {
  const { tenantId, applicationId, subject, now } = made
  const master = keys.keys.get(keys.current)
  if (!subject || !master) throw new Error('expected a subject and a current key')
  const { subjectId, rawId } = subject
  const salt = ports.random.bytes(keyBytes)
  const key = ports.random.bytes(keyBytes)
  const row: SubjectKey = {
    tenantId,
    applicationId,
    subjectId,
    salt,
    keyVersion: keys.current,
    wrapped: sealFrame(ports, wrappingKey(master, salt), key, wrapData(made, subjectId)),
    sealedId:
      rawId === null ? null : sealFrame(ports, key, utf8.encode(rawId), idData(made, subjectId)),
    createdAt: now,
  }
  return { key, put: put(subjectKeys, row, null) }
}

function wrapData({ tenantId, applicationId }: VaultOwner, subjectId: string): string {
  return canonicalize(['data key', tenantId, applicationId, subjectId])
}

export function idData({ tenantId, applicationId }: VaultOwner, subjectId: string): string {
  return canonicalize(['subject id', tenantId, applicationId, subjectId])
}
