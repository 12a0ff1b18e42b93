import { bytesToHex } from '@noble/hashes/utils.js'
import { checkAnchor, checkInclusion } from './anchor.ts'
import type { Report } from './finding.ts'
import { placeIn } from './known.ts'
import { type Json, objectAt, textAt } from './read.ts'
import type { SealTimes } from './times.ts'
import { checkWitness, type LeafContent } from './witness.ts'

/** What is told of a leaf beside its place. */
export interface LeafTold {
  /** What shows whose it is. */
  readonly content: LeafContent
  /** Times that evidence states of what it seals; absent where nothing is stated. */
  readonly times?: SealTimes
}

/** Checks the place of a seal's leaf: `seal` names it and has its anchor, `merkle` its tree. */
export function checkPlace(
  seal: Json,
  merkle: Json | null,
  report: Report,
  { content, times }: LeafTold,
): void {
  const leafHash = textAt(seal, 'leafHash')
  if (merkle === null) {
    report.failed('inclusion', 'It has a leaf and no inclusion proof.')
    return
  }
  const root = checkInclusion(merkle, leafHash, report)
  if (root === null || leafHash === null) return
  const hash = checkAnchor(seal.anchor, root, report, times ?? null)
  if (hash === null && report.stamps) report.noted('stamp', 'No ledger entry covers its root.')
  const anchor = objectAt(seal, 'anchor')
  const { applicationId, sessionId, revision, reviewCaseId } = seal
  const entry = anchor && hash !== null ? { place: placeIn.ledger(anchor), hash } : null
  checkWitness(
    {
      ...{ applicationId, sessionId, revision, reviewCaseId, leafHash, entry },
      batchId: merkle.batchId,
      content,
      root: bytesToHex(root),
    },
    report,
  )
}
