import { csvOf, csvText } from '../csv.ts'
import type { EvidenceDocument } from '../model.ts'
import { createReport, type Finding, type FindingCheck, type Report } from './finding.ts'
import { entryHashOf } from './known.ts'
import {
  bytesOrNull,
  isRevision,
  type Json,
  msOf,
  nameOf,
  numberOf,
  objectAt,
  objectsAt,
  textOf,
} from './read.ts'
import { mostSkewMs } from './times.ts'

/** Rows that several members of a pack show, in the order of its members. */
export interface SharedRows {
  /** An evidence document, by its path. */
  evidence(path: string, document: Json): void
  /** The CSV beside the evidence document that was taken last. */
  sessionCsv(path: string, text: string | null): void
  /** A review case of a list. */
  review(review: Json): void
  /** The last seal of a session, as an index of sessions has it. */
  indexed(of: Json, seal: Json): void
  /** A batch of a list, behind all that name it. */
  batch(batch: Json): void
  /** An entry of the ledger, behind all that name it. */
  entry(anchor: Json): void
  /**
   * What differs, or is named and in no list; `paths` are all members of the pack, `omitted` what its manifest names as left
   * out.
   */
  findings(paths: ReadonlySet<string>, omitted?: ReadonlySet<string>): readonly Finding[]
}

/** Lists of an auditor's pack whose items are compared with what stands behind it. */
const witnessedList =
  /^(?:anchors\.jsonl|audit-log\.jsonl|authenticators\.json|applications\/[^/]+\/(?:batches\.jsonl|review-(?:cases|events)\.jsonl|sessions\.csv))$/

/** Collects the rows of one pack; `toldAt` is when it was made, ISO 8601. */
export function createSharedRows(
  toldAt: string,
  { known = null, stamps = null }: Partial<Pick<Report, 'known' | 'stamps'>> = {},
): SharedRows {
  const report = createReport('pack')
  const rows = new Map<string, { readonly place: Place; readonly shown: Json }>()
  const listed = new Set<string>()
  /** Sessions of cases that are told to have no seal yet, by case. */
  const unsealed = new Map<unknown, unknown>()
  const sessions = new Set<string>()
  /** Leaves that sessions and cases of lists have. */
  const owned = new Set<string>()
  /** The last sealed revision of a session of an index, by its name; seals of earlier ones are in batches alone. */
  const revisions = new Map<string, number>()
  /** Batches, sessions and cases of lists, by their names in what is known from before. */
  const here = new Set<string>()
  /** Cases that are shown without a seal, and when and under what the batch was sealed that has the leaf of each. */
  const withheld: { readonly reviewCaseId: unknown; readonly sealed: Json }[] = []
  /** When the ledger says that a commitment was anchored first, ms. */
  const anchoredAt = new Map<unknown, number>()
  /** Leaves of batches that nothing in a list has, by the application. */
  const strange = new Map<unknown, number>()
  let latest: { readonly path: string; readonly document: Json } | null = null
  const before = msOf(toldAt) - mostSkewMs
  /** What is asked to stand behind the pack. */
  const checks: readonly FindingCheck[] = [
    ...(known ? (['witness'] as const) : []),
    ...(stamps ? (['stamp'] as const) : []),
  ]

  /** Compares what is shown with what was shown before; null says nothing. */
  function take(check: FindingCheck, place: Place, shown: Json): void {
    const name = nameOf(...place)
    const row = rows.get(name)?.shown ?? {}
    const said = Object.entries(shown).filter(([, value]) => isScalar(value))
    const other = said.find(([member, value]) => (row[member] ?? value) !== value)
    if (other)
      report
        .on(aboutPlace(place))
        .failed(check, `Its ${other[0]} is not the same in all members of the pack that show it.`)
    rows.set(name, { place, shown: { ...row, ...Object.fromEntries(said) } })
  }

  /** Compares a row of a list with those that name it. */
  function list(check: FindingCheck, place: Place, shown: Json): void {
    const name = nameOf(...place)
    if (rows.has(name)) take(check, place, shown)
    listed.add(name)
  }

  function addAnchor(anchor: Json): void {
    const { sequence, ledger, timeStamp, previousHash } = anchor
    const hash = entryHashOf(anchor)
    if (hash !== null)
      take('anchor', ['entry', sequence], { ledger, hash, previousHash, timeStamp })
  }

  function addSeal(of: Json, seal: Json): void {
    const merkle = objectAt(seal, 'merkle')
    if (merkle === null) return
    const { applicationId, sessionId, reviewCaseId } = of
    const { merkleRoot, treeSize, leafIndex } = merkle
    const { nonce, commitment, sequence } = objectAt(seal, 'anchor') ?? {}
    const batch = [applicationId, asCell(merkle.batchId)]
    const tree = { merkleRoot, treeSize, nonce, commitment, sequence }
    take('batch', ['batch', ...batch], tree)
    const leaf = { leafHash: seal.leafHash, sessionId: asCell(sessionId), reviewCaseId }
    take('batch', ['leaf', ...batch, leafIndex], { ...leaf, revision: seal.revision })
    addAnchor(objectAt(seal, 'anchor') ?? {})
  }

  function addReview(review: Json): void {
    addSeal(review, objectAt(review, 'integrity') ?? {})
  }

  function isUnsealed({ leafType, reviewCaseId, sessionId }: Json): boolean {
    if (leafType !== 'review-case' || !unsealed.has(reviewCaseId)) return false
    return unsealed.get(reviewCaseId) === sessionId
  }

  /** Whether a batch was sealed before the pack was made: by its own time, or by that of its entry. */
  function isBefore({ sealedAt, commitment }: Json): boolean {
    return msOf(sealedAt) <= before || (anchoredAt.get(commitment) ?? Number.NaN) <= before
  }

  function checkWithheld(): void {
    for (const { reviewCaseId, sealed } of withheld)
      if (isBefore(sealed))
        report
          .on(`review case ${textOf(reviewCaseId)}`)
          .failed('record', 'It is told to have no seal yet, and a batch has its leaf.')
  }

  /** Notes what is known from before of an application of the pack, and not there. */
  function noteAbsent(paths: ReadonlySet<string>, omitted: ReadonlySet<string>): void {
    const absent = new Map<string, number>()
    for (const [name, { kind, applicationId, id }] of known?.things ?? []) {
      const path = `applications/${textOf(applicationId)}/batches.jsonl`
      const shown = kind === 'session' ? nameOf(kind, applicationId, asCell(id)) : name
      const isListed = paths.has(path) || omitted.has(path)
      if (isListed && !here.has(shown)) absent.set(path, (absent.get(path) ?? 0) + 1)
    }
    for (const [path, count] of absent)
      report
        .on(path)
        .noted(
          'witness',
          `${count} batches, sessions or cases that are known from before are not here: they were removed since, are of later, or were left out.`,
        )
  }

  function isStrange(leaf: Json, applicationId: unknown): boolean {
    const { leafType, sessionId, revision, leafHash } = leaf
    if (leafType === 'audit-log' || owned.has(nameOf(applicationId, leafHash))) return false
    const name = nameOf(applicationId, asCell(sessionId))
    const isEarlier = isRevision(revision) && revision < (revisions.get(name) ?? 0)
    return leafType === 'review-case' || !isEarlier
  }

  /** Notes each list that could show what is witnessed, and that is said to be left out. */
  function noteOmitted(paths: ReadonlySet<string>, omitted: ReadonlySet<string>): void {
    for (const path of omitted)
      for (const check of paths.has(path) || !witnessedList.test(path) ? [] : checks)
        report.on(path).noted(check, 'It was left out: what it would show is not witnessed.')
  }

  function noteStrange(): void {
    for (const [applicationId, count] of strange)
      for (const check of checks.length > 0 ? checks : (['batch'] as const))
        report
          .on(`applications/${textOf(applicationId)}/batches.jsonl`)
          .noted(
            check,
            `${count} leaves are of sessions or cases that the pack does not have: they were removed or renamed since, or left out.`,
          )
  }

  function checkChain(): void {
    for (const { place, shown } of rows.values()) {
      const [kind, sequence] = place
      const next = rows.get(nameOf(kind, numberOf(sequence) + 1))?.shown
      if (kind === 'entry' && next && next.previousHash !== shown.hash)
        report
          .on(`entry ${textOf(sequence)}`)
          .failed('anchor', 'The entry after it names the hash of another before it.')
    }
  }

  return {
    evidence(path, document) {
      latest = { path, document }
      const integrity = objectAt(document, 'integrity') ?? {}
      const { applicationId, sessionId } = objectAt(document, 'session') ?? {}
      const name = nameOf(applicationId, sessionId)
      if (sessions.has(name))
        report.on(`session ${textOf(sessionId)}`).failed('form', 'The pack has it twice.')
      sessions.add(name)
      for (const seal of [integrity, ...(objectsAt(integrity, 'earlier') ?? [])])
        addSeal({ applicationId, sessionId }, seal)
      for (const review of objectsAt(document, 'reviewCases') ?? []) addReview(review)
    },
    sessionCsv(path, text) {
      // Whatever is wrong with the document itself has findings of its own.
      const evidence = latest?.document as unknown as EvidenceDocument
      const expected = latest && bytesOrNull(() => csvOf(evidence))
      const isBeside = latest?.path === path.replace(/[^/]*$/, 'evidence.json')
      if (!isBeside || text === null || text !== expected)
        report.on(path).failed('record', 'It is not the session of the evidence before it.')
    },
    review(review) {
      addReview(review)
      here.add(nameOf('case', review.applicationId, review.reviewCaseId))
      const { leafInputStatus, leafHash } = objectAt(review, 'integrity') ?? {}
      owned.add(nameOf(review.applicationId, leafHash))
      if (leafInputStatus !== 'present') unsealed.set(review.reviewCaseId, review.sessionId)
    },
    indexed({ applicationId, sessionId }, seal) {
      const { batchId, leafIndex, leafHash, revision } = seal
      owned.add(nameOf(applicationId, leafHash))
      here.add(nameOf('session', applicationId, sessionId))
      revisions.set(nameOf(applicationId, sessionId), numberOf(revision))
      const batch = [applicationId, batchId]
      take('batch', ['batch', ...batch], {})
      take('batch', ['leaf', ...batch, leafIndex], { leafHash, revision, sessionId })
    },
    batch(batch) {
      const { applicationId, merkleRoot, treeSize, nonce, commitment, anchorSequence } = batch
      const sealed = { sealedAt: batch.sealedAt, commitment }
      here.add(nameOf('batch', applicationId, batch.batchId))
      const name = [applicationId, asCell(batch.batchId)]
      if (listed.has(nameOf('batch', ...name)))
        report.on(aboutPlace(name)).failed('batch', 'It is listed twice.')
      // What names an entry is read before the list: 0 is no entry.
      const sequence = anchorSequence ?? 0
      const tree = { merkleRoot, treeSize, nonce, commitment, sequence }
      list('batch', ['batch', ...name], tree)
      for (const [at, leaf] of (objectsAt(batch, 'leaves') ?? []).entries()) {
        const { leafHash, sessionId, revision, reviewCaseId } = leaf
        const place: Place = ['leaf', ...name, at]
        const shown = { leafHash, sessionId: asCell(sessionId), revision, reviewCaseId }
        if (rows.has(nameOf(...place))) list('batch', place, shown)
        if (isStrange(leaf, applicationId))
          strange.set(applicationId, (strange.get(applicationId) ?? 0) + 1)
        if (isUnsealed(leaf)) withheld.push({ reviewCaseId, sealed })
      }
    },
    entry(anchor) {
      addAnchor(anchor)
      const [one, other] = [anchoredAt.get(anchor.commitment), msOf(anchor.anchoredAt)]
      anchoredAt.set(anchor.commitment, Math.min(one ?? other, other))
      listed.add(nameOf('entry', anchor.sequence))
    },
    findings(paths, omitted = new Set()) {
      checkChain()
      checkWithheld()
      noteStrange()
      noteAbsent(paths, omitted)
      noteOmitted(paths, omitted)
      for (const [name, { place }] of rows) {
        const [kind, of] = place
        const path = kind === 'entry' ? 'anchors.jsonl' : `applications/${textOf(of)}/batches.jsonl`
        if (paths.has(path) && !listed.has(name))
          report
            .on(aboutPlace(place))
            .failed(kind === 'entry' ? 'anchor' : 'batch', `It is not in ${path} behind it.`)
      }
      return report.all
    },
  }
}

/** The kind of a row, and where it stands among those of its kind. */
type Place = readonly unknown[]

function aboutPlace(place: Place): string {
  return place.map(textOf).join(' ')
}

/** A text as an index of sessions has it; ids that it can't tell apart are one. */
function asCell(value: unknown): unknown {
  return typeof value === 'string' ? csvText(value) : value
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}
