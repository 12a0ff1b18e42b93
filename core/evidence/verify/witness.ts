import type { Finding, Report } from './finding.ts'
import { type KnownEvidence, placeIn } from './known.ts'
import { type Json, msOf, nameOf, numberOf, textOf } from './read.ts'
import { mostSkewMs } from './times.ts'

/**
 * What shows that a leaf is of what is told: its content, which was hashed; nothing, as the content is gone; or nothing but
 * its name, which is that of a leaf that is known from before.
 */
export type LeafContent = 'shown' | 'gone' | 'named'

/** A leaf's place in a tree, and the ledger entry that covers its root. */
export interface WitnessedSeal {
  readonly applicationId: unknown
  readonly sessionId: unknown
  readonly revision: unknown
  /** Of the leaf of a case. */
  readonly reviewCaseId: unknown
  readonly batchId: unknown
  readonly leafHash: string
  readonly root: string
  /** What shows whose leaf it is. */
  readonly content: LeafContent
  /** Null where no entry was shown to cover the root. */
  readonly entry: { readonly place: string; readonly hash: string } | null
}

/** Compares a seal with what is known from before; without that it says nothing. */
export function checkWitness(seal: WitnessedSeal, report: Report): void {
  const { known } = report
  if (known === null) return
  const { leafHash, root, entry } = seal
  const { applicationId, sessionId, batchId } = seal
  const session = placeIn.session(applicationId, sessionId)
  const { reviewCaseId } = seal
  const ofCase = typeof reviewCaseId === 'string' ? reviewCaseId : ''
  const leaf =
    reviewCaseId === undefined
      ? knownLeafOf(session, seal.revision, leafHash, known)
      : known.cases.get(session)?.get(ofCase)
  const knownRoot = known.roots.get(placeIn.batch(applicationId, batchId))
  const knownEntry = entry ? known.entries.get(entry.place) : undefined
  const compared: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['leaf', leaf, leafHash],
    ['Merkle root of its batch', knownRoot, root],
    ['ledger entry', knownEntry, entry?.hash],
  ]
  const name =
    reviewCaseId === undefined ? placeIn.leaf(sessionId) : placeIn.reviewCase(session, ofCase)
  const owner = known.owners.get(leafHash)
  const other = compared.find(([, before, now]) => before !== undefined && before !== now)
  const isKnown = known.hashes.has(root) || (entry !== null && known.hashes.has(entry.hash))
  if (other)
    report.failed(
      'witness',
      `Its ${other[0]} is ${textOf(other[2])}; known from before is ${textOf(other[1])}: it was rewritten since.`,
    )
  else if (owner !== undefined && owner !== name)
    report.failed('witness', 'Its leaf is known from before as that of something else.')
  else if (!isKnown && compared.every(([, before]) => before === undefined))
    report.unchecked('witness', 'Nothing that is known from before covers it.')
  else if (seal.content === 'gone')
    report.noted(
      'witness',
      'Its content is gone, so that nothing shows that its leaf is of what is told: that is not witnessed.',
    )
  else if (seal.content === 'named' && leaf === undefined)
    report.noted(
      'witness',
      'Its tree is known from before, and its leaf, whose content is not here, is not: whose it is, is not witnessed.',
    )
  else
    report.verified(
      'witness',
      'It is under a leaf, root or ledger entry that is known from before.',
    )
}

/** Checks that a session's leaf is made of what it is known to be made of, and was no more or less readable. */
export function checkKnownSource(
  of: { readonly applicationId: unknown; readonly sessionId: unknown; readonly revision: unknown },
  { leafSource, leafInputStatus }: Json,
  report: Report,
): void {
  const session = placeIn.session(of.applicationId, of.sessionId)
  const source = report.known?.sources.get(session)
  if (source !== undefined && source !== (leafSource ?? source))
    report.failed(
      'witness',
      `Its leaf is ${textOf(leafSource)}; its session is known from before as ${source}.`,
    )
  const before = report.known?.statuses.get(session)?.get(numberOf(of.revision))
  const both = [before, leafInputStatus]
  // What was redacted was so before it was stored; erased can be what was present.
  if (both.includes('redacted') && both.includes('present'))
    report.failed(
      'witness',
      `Its leaf is ${textOf(leafInputStatus)}; known from before is ${textOf(before)}.`,
    )
}

/** The leaf that is known of a revision: this one where it is among those of the id. */
function knownLeafOf(
  session: string,
  revision: unknown,
  leafHash: string,
  known: KnownEvidence,
): string | undefined {
  if (known.sealedBy.has(placeIn.sessionLeaf(session, revision, leafHash))) return leafHash
  return known.leaves.get(session)?.get(numberOf(revision))
}

/** Whether a leaf of a batch is known as that of something else, or another one as its own. */
export function isOtherLeaf(applicationId: unknown, leaf: Json, known: KnownEvidence): boolean {
  const { leafType, sessionId, reviewCaseId, revision, leafHash } = leaf
  if (leafType === 'audit-log' || typeof leafHash !== 'string') return false
  const session = placeIn.session(applicationId, sessionId)
  const isCase = typeof reviewCaseId === 'string'
  const name = isCase ? placeIn.reviewCase(session, reviewCaseId) : placeIn.leaf(sessionId)
  const before = isCase
    ? known.cases.get(session)?.get(reviewCaseId)
    : knownLeafOf(session, revision, leafHash, known)
  return (before ?? leafHash) !== leafHash || (known.owners.get(leafHash) ?? name) !== name
}

/** Checks that a session leaves out no seal that is known from before. */
export function checkKnownSeals(
  of: { readonly applicationId: unknown; readonly sessionId: unknown; readonly revision: unknown },
  shown: readonly unknown[],
  report: Report,
): void {
  const seals = report.known?.leaves.get(placeIn.session(of.applicationId, of.sessionId))
  const own = numberOf(of.revision)
  for (const revision of seals?.keys() ?? []) {
    const detail = `the seal of revision ${revision}, which is known from before`
    if (revision > own) report.noted('witness', `It is older than ${detail}, or hides it.`)
    if (revision <= own && !shown.includes(revision))
      report.failed('witness', `It leaves out ${detail}.`)
  }
}

/**
 * Checks that a session tells the end of each review case that is known from before to have ended when it was told (`toldAt`,
 * ISO 8601), and notes those that ended later. `isTold`: whether it tells that one ended, sealed or about to be.
 */
export function checkKnownCases(
  of: { readonly applicationId: unknown; readonly sessionId: unknown; readonly toldAt: unknown },
  isTold: (reviewCaseId: string) => boolean,
  report: Report,
): void {
  const session = placeIn.session(of.applicationId, of.sessionId)
  for (const reviewCaseId of report.known?.cases.get(session)?.keys() ?? [])
    if (!isTold(reviewCaseId)) checkKnownEnd({ ...of, reviewCaseId }, report)
}

/** Tells of the end of a case that is not told where it is known from before: by what is older, or left out. */
export function checkKnownEnd(
  of: {
    readonly applicationId: unknown
    readonly reviewCaseId: unknown
    /** Undefined where nothing says it. */
    readonly toldAt: unknown
  },
  report: Report,
): void {
  const endedBy = report.known?.ends.get(nameOf(of.applicationId, of.reviewCaseId))
  if (endedBy === undefined) return
  const detail = `It leaves out the end of review case ${textOf(of.reviewCaseId)}, which is known from before`
  if (of.toldAt === undefined || msOf(of.toldAt) < endedBy + mostSkewMs)
    report.noted('witness', `${detail}: it says that it is older.`)
  else report.failed('witness', `${detail}.`)
}

/**
 * Compares entries of a ledger or an audit log, in order, with those known from before. `isPart`: what they cover is compared
 * by itself, so that it is no lack where none is known.
 */
export function checkKnownEntries(
  entries: readonly { readonly place: string; readonly number: number; readonly hash: string }[],
  report: Report,
  isPart = false,
): void {
  const { known } = report
  if (known === null) return
  let last: number | null = null
  for (const { place, number, hash } of entries) {
    const before = known.entries.get(place)
    if (before !== undefined && before !== hash) {
      report.failed(
        'witness',
        `Entry ${number} hashes to ${hash}; known from before is ${before}: it was rewritten since.`,
      )
      return
    }
    if (before === hash || known.hashes.has(hash)) last = number
  }
  const end = entries.at(-1)?.number ?? 0
  if (last === null)
    report[isPart ? 'noted' : 'unchecked']('witness', 'None of its entries is known from before.')
  else {
    report.verified('witness', `Its entries up to ${last} are as they are known from before.`)
    if (last < end)
      report.noted('witness', `Its ${end - last} entries after that are not witnessed.`)
  }
}

/** Whether the root of a batch is known from before. */
export function isKnownRoot(
  { applicationId, batchId, merkleRoot }: Json,
  known: KnownEvidence | null,
): boolean {
  if (known === null || typeof merkleRoot !== 'string') return false
  return (
    known.roots.get(placeIn.batch(applicationId, batchId)) === merkleRoot ||
    known.hashes.has(merkleRoot)
  )
}

/** Compares a batch with what is known of it; true where it differs. */
export function differsFromKnown(batch: Json, known: KnownEvidence | null): boolean {
  const { applicationId, batchId, merkleRoot } = batch
  const root = known?.roots.get(placeIn.batch(applicationId, batchId))
  return root !== undefined && root !== merkleRoot
}

/**
 * Whether something stands behind evidence beside the issuer's own word: behind all of it, behind some (findings name
 * the rest), or behind nothing.
 */
export type Witness = 'witnessed' | 'partly_witnessed' | 'not_witnessed'

/**
 * By what is known from before, where all that can be compared with it was found in it; or by the stamps of trusted
 * authorities, each at its time. What is after the last of them makes it a part.
 */
export function witnessOf(findings: readonly Finding[]): Witness {
  const by = (check: Finding['check']): Witness => {
    const results = new Set(findings.flatMap((each) => (each.check === check ? each.result : [])))
    if (!results.has('verified') || results.has('failed') || results.has('unchecked'))
      return 'not_witnessed'
    return results.has('noted') ? 'partly_witnessed' : 'witnessed'
  }
  // What contradicts the one is not saved by the other.
  const isOpen = findings.some(
    ({ check, result }) => check === 'witness' && (result === 'failed' || result === 'unchecked'),
  )
  const either = isOpen ? [] : [by('witness'), by('stamp')]
  const best = (['witnessed', 'partly_witnessed'] as const).find((each) => either.includes(each))
  // What a reader holds and does not find is not there for a stamp either.
  const isLess = findings.some(({ check, result }) => check === 'witness' && result === 'noted')
  return best && isLess ? 'partly_witnessed' : (best ?? 'not_witnessed')
}
