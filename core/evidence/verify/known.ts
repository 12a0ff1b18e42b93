import { isObject } from '../../base/events/shape.ts'
import { anchorHashOf } from '../../proof/commitment.ts'
import { without } from '../../proof/signed-text.ts'
import { bytesOrNull, type Json, msOf, nameOf, objectAt, objectsAt, textAt } from './read.ts'

/** What a reader holds of an issuer from before, which evidence is compared with. */
export interface KnownEvidence {
  /** Merkle roots and hashes of ledger entries, hex. */
  readonly hashes: ReadonlySet<string>
  /** Hash of an entry of a ledger or of the audit log, by its place there. */
  readonly entries: ReadonlyMap<string, string>
  /** Merkle root by batch. */
  readonly roots: ReadonlyMap<string, string>
  /** Leaf by session and revision. */
  readonly leaves: ReadonlyMap<string, ReadonlyMap<number, string>>
  /** Leaf by session and review case. */
  readonly cases: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Leaves of a review case by the session that each names, by application and case: a case moves with its session. */
  readonly ofCases: ReadonlyMap<string, ReadonlyMap<string, KnownLeaf>>
  /** By when a review case had ended, ms, by application and case; NaN where what is known of it tells no time. */
  readonly ends: ReadonlyMap<string, number>
  /**
   * By when each leaf of a session had been sealed, ms; NaN where nothing tells it. By session, revision and leaf, for an id
   * that was free again has two leaves of one revision.
   */
  readonly sealedBy: ReadonlyMap<string, number>
  /** Batches, sessions and review cases that it tells of, each once. */
  readonly things: ReadonlyMap<string, KnownThing>
  /** What a leaf is of, by its hash: a session, or a case of one. The leaf of a submission names no application. */
  readonly owners: ReadonlyMap<string, string>
  /** What the leaves of a session are made of. */
  readonly sources: ReadonlyMap<string, string>
  /** Whether the leaf of a session could be read, by session and revision. */
  readonly statuses: ReadonlyMap<string, ReadonlyMap<number, unknown>>
}

/** A leaf of a review case, and the session that it names. */
export interface KnownLeaf {
  readonly sessionId: unknown
  readonly leafHash: string
}

/** A batch, a session or a review case. */
export interface KnownThing {
  readonly kind: 'batch' | 'session' | 'case'
  readonly applicationId: unknown
  readonly id: unknown
}

/** Keys of the maps of `KnownEvidence`. */
export const placeIn = {
  ledger: ({ ledger, sequence }: Json): string => nameOf('ledger', ledger, sequence),
  auditLog: (position: unknown): string => nameOf('audit-log', position),
  batch: (applicationId: unknown, batchId: unknown): string => nameOf(applicationId, batchId),
  session: (applicationId: unknown, sessionId: unknown): string => nameOf(applicationId, sessionId),
  sessionLeaf: (session: string, revision: unknown, leafHash: unknown): string =>
    `${session} ${nameOf(revision, leafHash)}`,
  leaf: (sessionId: unknown): string => nameOf(sessionId),
  reviewCase: (session: string, reviewCaseId: string): string =>
    `${session} ${nameOf(reviewCaseId)}`,
}

/** Members that an anchor shows beside those of its entry. */
export const besideEntry = ['entryHash', 'nonce', 'status', 'timeStamp']

/** The hash of an anchor's entry; null for one that no ledger has taken, or that has no canonical form. */
export function entryHashOf(anchor: Json): string | null {
  return textAt(anchor, 'signature') === null
    ? null
    : bytesOrNull(() => anchorHashOf(without(anchor, besideEntry)))
}

/**
 * What these values hold: evidence documents, certificates, proofs, ledgers, lists of batches, audit logs, and texts of 64
 * hex digits, each a Merkle root or the hash of a ledger's entry. Null where one is of another kind, or there is none.
 * Signatures are not checked: who holds something from before trusts it.
 */
export function readKnownEvidence(values: readonly unknown[]): KnownEvidence | null {
  const hashes = new Set<string>()
  const entries = new Map<string, string>()
  const roots = new Map<string, string>()
  const leaves = new Map<string, Map<number, string>>()
  const cases = new Map<string, Map<string, string>>()
  const owners = new Map<string, string>()
  const ofCases = new Map<string, Map<string, KnownLeaf>>()
  const ends = new Map<string, number>()
  const sealedBy = new Map<string, number>()
  const things = new Map<string, KnownThing>()
  const sources = new Map<string, string>()
  const statuses = new Map<string, Map<number, unknown>>()

  function addThing(kind: KnownThing['kind'], applicationId: unknown, id: unknown): void {
    things.set(nameOf(kind, applicationId, id), { kind, applicationId, id })
  }

  function addEntry(anchor: unknown): void {
    const hash = isObject(anchor) ? entryHashOf(anchor) : null
    if (isObject(anchor) && hash !== null) entries.set(placeIn.ledger(anchor), hash)
  }

  /** `endedBy`: when the case of the leaf had ended, and `by` when it had been sealed, at the latest; ISO 8601. */
  function addLeaf(applicationId: unknown, leaf: Json, endedBy: unknown, by: unknown): void {
    const { leafType, sessionId, revision, reviewCaseId, leafHash, position, hash } = leaf
    if (leafType === 'audit-log' && typeof hash === 'string')
      entries.set(placeIn.auditLog(position), hash)
    if (typeof reviewCaseId === 'string' && typeof leafHash === 'string') {
      const name = placeIn.session(applicationId, sessionId)
      const ofCase = placeIn.reviewCase(name, reviewCaseId)
      owners.set(leafHash, ofCase)
      const end = nameOf(applicationId, reviewCaseId)
      const before = ofCases.get(end) ?? new Map<string, KnownLeaf>()
      ofCases.set(end, before.set(nameOf(sessionId), { sessionId, leafHash }))
      const [one, other] = [ends.get(end) ?? Number.NaN, msOf(endedBy)]
      ends.set(end, Number.isNaN(one) || other < one ? other : one)
      addThing('case', applicationId, reviewCaseId)
      cases.set(name, (cases.get(name) ?? new Map<string, string>()).set(reviewCaseId, leafHash))
    }
    if (typeof revision !== 'number' || typeof leafHash !== 'string') return
    const name = placeIn.session(applicationId, sessionId)
    addThing('session', applicationId, sessionId)
    owners.set(leafHash, placeIn.leaf(sessionId))
    const own = placeIn.sessionLeaf(name, revision, leafHash)
    const [at, before] = [msOf(by), sealedBy.get(own) ?? Number.NaN]
    sealedBy.set(own, Number.isNaN(at) || before > at ? before : at)
    leaves.set(name, (leaves.get(name) ?? new Map<number, string>()).set(revision, leafHash))
  }

  function addRoot(applicationId: unknown, { batchId, merkleRoot }: Json): void {
    if (typeof merkleRoot !== 'string') return
    hashes.add(merkleRoot)
    addThing('batch', applicationId, batchId)
    roots.set(placeIn.batch(applicationId, batchId), merkleRoot)
  }

  function addSeal(proof: Json): void {
    const { closedAt } = objectAt(proof, 'leafInput') ?? {}
    addLeaf(proof.applicationId, proof, closedAt, objectAt(proof, 'anchor')?.anchoredAt)
    addRoot(proof.applicationId, proof)
    addEntry(proof.anchor)
  }

  function addEvidence(document: Json, integrity: Json): void {
    const sessionId = objectAt(document, 'session')?.sessionId
    const applicationId = objectAt(document, 'application')?.applicationId
    for (const seal of [integrity, ...(objectsAt(integrity, 'earlier') ?? [])])
      addSeal({ ...seal, ...objectAt(seal, 'merkle'), sessionId, applicationId })
    for (const review of objectsAt(document, 'reviewCases') ?? []) addCase(review)
    const { revision, leafSource, leafInputStatus } = integrity
    if (typeof revision !== 'number' || typeof leafSource !== 'string') return
    const name = placeIn.session(applicationId, sessionId)
    const known = statuses.get(name) ?? new Map<number, unknown>()
    statuses.set(name, known.set(revision, leafInputStatus))
    sources.set(name, leafSource)
  }

  function addCase(review: Json): void {
    const { reviewCaseId, sessionId, applicationId } = review
    const integrity = objectAt(review, 'integrity') ?? {}
    const merkle = objectAt(integrity, 'merkle')
    addSeal({ ...integrity, ...merkle, reviewCaseId, sessionId, applicationId })
  }

  function add(value: unknown): boolean {
    if (typeof value === 'string') {
      hashes.add(value)
      return /^[0-9a-f]{64}$/.test(value)
    }
    if (!isObject(value)) return false
    const integrity = objectAt(value, 'integrity')
    const proof = objectAt(value, 'proof')
    const { applicationId, position, hash } = value
    if (integrity && 'reviewCaseId' in value) addCase(value)
    else if (integrity) addEvidence(value, integrity)
    else if (proof) addSeal(proof)
    else if ('inclusionPath' in value) addSeal(value)
    else if ('anchorVersion' in value) addEntry(value)
    else if (typeof position === 'number' && typeof hash === 'string')
      entries.set(placeIn.auditLog(position), hash)
    else if (objectsAt(value, 'leaves')) {
      addRoot(applicationId, value)
      for (const leaf of objectsAt(value, 'leaves') ?? [])
        addLeaf(applicationId, leaf, value.sealedAt, value.sealedAt)
    } else return false
    return true
  }

  // A ledger stands for its anchors, a list for its items.
  const all = values.flatMap(
    (value) => (isObject(value) ? objectsAt(value, 'anchors') : null) ?? value,
  )
  return all.length > 0 && all.flat().every(add)
    ? {
        ...{ hashes, entries, roots, leaves, cases, ofCases, ends, sealedBy, things },
        ...{ owners, sources, statuses },
      }
    : null
}
