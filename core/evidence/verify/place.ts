import { bytesToHex } from '@noble/hashes/utils.js'
import { checkAnchor, checkInclusion } from './anchor.ts'
import type { Report } from './finding.ts'
import { placeIn } from './known.ts'
import { type Json, objectAt, textAt } from './read.ts'
import type { SealTimes } from './times.ts'
import { checkWitness } from './witness.ts'

/**
 * Checks the place of a seal's leaf: `seal` names it and has its anchor, `merkle` its tree. `times`: those that evidence
 * states of what it seals; null where nothing is.
 */
export function checkPlace(
  seal: Json,
  merkle: Json | null,
  report: Report,
  times: SealTimes | null = null,
): void {
  const leafHash = textAt(seal, 'leafHash')
  if (merkle === null) {
    report.failed('inclusion', 'It has a leaf and no inclusion proof.')
    return
  }
  const root = checkInclusion(merkle, leafHash, report)
  if (root === null || leafHash === null) return
  const hash = checkAnchor(seal.anchor, root, report, times)
  if (hash === null && report.stamps) report.noted('stamp', 'No ledger entry covers its root.')
  const anchor = objectAt(seal, 'anchor')
  const { applicationId, sessionId, revision, reviewCaseId } = seal
  const entry = anchor && hash !== null ? { place: placeIn.ledger(anchor), hash } : null
  checkWitness(
    {
      ...{ applicationId, sessionId, revision, reviewCaseId, leafHash, entry },
      batchId: merkle.batchId,
      isGone: seal.leafInputStatus === 'erased' || seal.leafInputStatus === 'redacted',
      root: bytesToHex(root),
    },
    report,
  )
}
