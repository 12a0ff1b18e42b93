import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { CountersignError } from '../../base/errors/countersign-error.ts'
import type { Cipher } from '../../base/ports/cipher.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import type { Check, Found, Put, Read, Versioned } from '../../base/ports/store.ts'
import type { Ledger, UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, inTurn, one, put } from '../../kernel/ledger/reads.ts'
import { openFrame, sealFrame } from './frame.ts'
import { type SubjectName, subjectOf } from './pseudonym.ts'
import { erasedSubjects, type SubjectKey, subjectKeys, tenantKeys } from './records.ts'
import {
  idData,
  keyIdOf,
  keyOfSubject,
  newKey,
  unwrapDataKey,
  type VaultOwner,
} from './subject-key.ts'
import { createTenantKeyRing, type OpenKeys, tenantKeysOf } from './tenant-keys.ts'

/** The place of contents: bytes that are sealed for one place open at no other. */
export interface PayloadPlace {
  readonly sessionId: string
  /** Null for the session's own. */
  readonly stepId: string | null
}

/** Seals payloads within one unit of work; its puts and checks go into the commit of what refers to them. */
export interface Sealing {
  /** A frame: `01`, nonce (12), ciphertext, tag (16). Throws for a subject that was not read. */
  seal(subjectId: string, place: PayloadPlace, plain: Uint8Array): Uint8Array
  /** Keys made for subjects that had none, and keys that no longer retire because they were used. */
  readonly puts: readonly Put[]
  /** That the keys used are still there: an erasure between read and commit makes the unit of work run again. */
  readonly checks: readonly Check[]
}

/** Opens payloads as of one snapshot. */
export interface Opening {
  /** The plain bytes; null for an erased subject and for empty `sealed`. Throws `PayloadError` for changed bytes. */
  open(subjectId: string, place: PayloadPlace, sealed: Uint8Array): Uint8Array | null
  /** Whether the subject has a key. */
  has(subjectId: string): boolean
  /** Names the key that the subject has: hex of its salt, which no rotation changes. Null for none. */
  keyId(subjectId: string): string | null
  /** Whether the subject was ever erased; it may have a newer key since. */
  erased(subjectId: string): boolean
  /** The id that the application gave its subject; null when it gave none or the subject was erased. */
  rawId(subjectId: string): string | null
}

/** The names of a tenant's subjects. */
export interface Pseudonyms {
  /** The subject that an id names, raw or pseudonym. */
  subjectOf(id: string): SubjectName
}

/**
 * Personal data under a key of its data subject, which an erasure destroys. A unit of work reads `reads(owner, subjects)`
 * and hands their answers, in that order, to `sealing` or `opening`.
 */
export interface Vault {
  /** For `subjectOf`, before the unit of work; makes the tenant's keys at first use. */
  pseudonyms(tenantId: string): Promise<Pseudonyms>
  reads(owner: VaultOwner, subjectIds: readonly string[]): readonly Read[]
  /** The tenant's keys must exist: call `pseudonyms` once before. */
  sealing(
    unit: UnitOfWork,
    found: readonly Found[],
    owner: VaultOwner,
    subjects: readonly SubjectName[],
  ): Sealing
  opening(found: readonly Found[], owner: VaultOwner, subjectIds: readonly string[]): Opening
}

/** A payload whose subject was not erased and which does not open: the blob or the key row was changed. */
export class PayloadError extends CountersignError<'payload_damaged'> {
  override readonly name = 'PayloadError'
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

export function createVault(deps: {
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly cipher: Cipher
}): Vault {
  const { cipher } = deps
  const ring = createTenantKeyRing(deps)

  function dataKey(keys: OpenKeys | null, row: SubjectKey): Uint8Array {
    const master = keys?.keys.get(row.keyVersion)
    const key = master && unwrapDataKey(cipher, master, row)
    if (!key)
      throw new PayloadError(
        'payload_damaged',
        `the key of ${row.subjectId} in ${row.applicationId} does not open under version ${row.keyVersion} of the tenant's key: restore the rows of subjectKeys and tenantKeys from one backup`,
      )
    return key
  }

  return {
    pseudonyms: async (tenantId) => {
      const { pseudonymKey } = await ring.load(tenantId)
      return { subjectOf: (id) => subjectOf(pseudonymKey, id) }
    },
    reads: (owner, subjectIds) => [
      tenantKeysOf(owner.tenantId),
      ...subjectIds.flatMap((subjectId) => [
        get(subjectKeys, keyOfSubject(owner, subjectId)),
        get(erasedSubjects, keyOfSubject(owner, subjectId)),
      ]),
    ],
    sealing(unit, found, owner, subjects) {
      const row = one(tenantKeys, found[0])
      if (!row)
        throw new Error(`${owner.tenantId} has no encryption keys: call pseudonyms() before`)
      const open = ring.open(row)
      const ofNext = inTurn(found.slice(1))
      const known = new Map(
        subjects.map(({ subjectId }) => [subjectId, one(subjectKeys, ofNext(2)[0])]),
      )
      const used = new Map<string, { readonly key: Uint8Array; readonly put: Put | null }>()

      function use(subjectId: string): Uint8Array {
        const before = used.get(subjectId)
        if (before) return before.key
        const was = known.get(subjectId)
        if (was === undefined) throw new Error(`${subjectId} was not read before it is sealed for`)
        const made = was
          ? { key: dataKey(open, was.row), put: kept(was) }
          : newKey({ cipher, random: unit.random }, open, {
              ...owner,
              subject: subjects.find((each) => each.subjectId === subjectId),
              now: unit.now,
            })
        used.set(subjectId, made)
        return made.key
      }

      const ports = { cipher, random: unit.random }
      const dataOf = additionalDataOf(owner)
      return {
        seal: (subjectId, place, plain) => sealFrame(ports, use(subjectId), plain, dataOf(place)),
        get puts() {
          return [...used.values()].flatMap(({ put: made }) => made ?? [])
        },
        get checks() {
          return checksOf(owner, row, known, used)
        },
      }
    },
    opening(found, owner, subjectIds) {
      const row = one(tenantKeys, found[0])
      const open = row && ring.open(row)
      const ofNext = inTurn(found.slice(1))
      const subjects = new Map(
        subjectIds.map((subjectId) => {
          const [foundKey, foundMark] = ofNext(2)
          const key = one(subjectKeys, foundKey)
          const erased = one(erasedSubjects, foundMark) !== null
          return [subjectId, { row: key?.row ?? null, erased }] as const
        }),
      )
      const keys = new Map<string, Uint8Array>()
      const dataOf = additionalDataOf(owner)

      function keyOf(subjectId: string): Uint8Array | null {
        const key = keys.get(subjectId)
        if (key) return key
        const subject = subjects.get(subjectId)
        if (!subject) throw new Error(`${subjectId} was not read before it is opened`)
        if (!subject.row) return null
        const opened = dataKey(open, subject.row)
        keys.set(subjectId, opened)
        return opened
      }

      return {
        open(subjectId, place, sealed) {
          const key = keyOf(subjectId)
          if (!key || sealed.length === 0) return null
          const plain = openFrame(cipher, key, sealed, dataOf(place))
          if (plain || subjects.get(subjectId)?.erased) return plain
          throw new PayloadError(
            'payload_damaged',
            `content of session ${place.sessionId}${place.stepId === null ? '' : `, step ${place.stepId}`} does not open under its subject's key: restore its blob from a backup`,
          )
        },
        has: (subjectId) => keyOf(subjectId) !== null,
        keyId(subjectId) {
          const row = subjects.get(subjectId)?.row
          return row ? keyIdOf(row) : null
        },
        erased: (subjectId) => subjects.get(subjectId)?.erased ?? false,
        rawId(subjectId) {
          const key = keyOf(subjectId)
          const sealed = subjects.get(subjectId)?.row?.sealedId
          if (!key || !sealed) return null
          const plain = openFrame(cipher, key, sealed, idData(owner, subjectId))
          return plain && fromUtf8.decode(plain)
        },
      }
    },
  }
}

/** The put that cancels a key's retirement; null for a key that isn't retiring. */
function kept(was: Versioned<SubjectKey>): Put | null {
  return was.row.retiring ? put(subjectKeys, { ...was.row, retiring: false }, was) : null
}

/** A new key relies on the tenant's being current; a key that was there must still be there. */
function checksOf(
  owner: VaultOwner,
  tenant: Versioned,
  known: ReadonlyMap<string, Versioned<SubjectKey> | null>,
  used: ReadonlyMap<string, { readonly put: Put | null }>,
): readonly Check[] {
  const wraps = [...used.values()].some(({ put: made }) => made !== null)
  return [
    ...(wraps
      ? [{ in: tenantKeys.name, key: [owner.tenantId], version: tenant.version } as const]
      : []),
    ...[...used.keys()].flatMap((subjectId) => {
      const was = known.get(subjectId)
      // A put of the key checks it too.
      if (!was || used.get(subjectId)?.put) return []
      const key = keyOfSubject(owner, subjectId)
      return { in: subjectKeys.name, key, version: was.version }
    }),
  ]
}

/** Names places: the canonical JSON of `[tenantId, applicationId, sessionId, stepId]`. */
function additionalDataOf(owner: VaultOwner): (place: PayloadPlace) => string {
  // A unit of work seals for the steps of one session, one after another.
  let last: { readonly sessionId: string; readonly start: string } | null = null
  return ({ sessionId, stepId }) => {
    if (last?.sessionId !== sessionId) {
      const text = canonicalize([owner.tenantId, owner.applicationId, sessionId])
      last = { sessionId, start: `${text.slice(0, -1)},` }
    }
    return `${last.start}${canonicalize(stepId)}]`
  }
}
