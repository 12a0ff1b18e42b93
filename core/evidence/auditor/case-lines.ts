import type { Application } from '../../applications/records.ts'
import type { Where } from '../../base/ports/store.ts'
import { hiddenTexts, markedReader } from '../../content/erasure-marks.ts'
import {
  type Anchor,
  anchors,
  type Batch,
  batches,
  type CaseSeal,
  caseSeals,
} from '../../content/seal-records.ts'
import { type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { casePiece } from '../../removal/erasure/erase-cases.ts'
import { withoutContent } from '../../review/erase-case.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { sealedCaseOf } from '../../sessions/seal/prove-case.ts'
import { type CaseHost, evidenceCase } from '../assemble/document.ts'
import type { EvidenceCase } from '../model.ts'

/** Batches that are kept for the cases that follow: cases end about in the order in which they were opened. */
const keptBatches = 8

/** The cases of an application as evidence, those of data subjects who are being erased without content. */
export async function* caseLines(
  reader: Reader,
  application: Application,
  host: CaseHost,
): AsyncGenerator<EvidenceCase, void, undefined> {
  const placeOf = sealedBatches(reader, application)
  for await (const review of shownCases(reader, application)) {
    const [found] = await reader.read([get(caseSeals, [review.reviewCaseId])])
    const seal = one(caseSeals, found)?.row ?? null
    yield evidenceCase(review, sealedCaseOf(review, seal, await placeOf(seal)), host)
  }
}

interface Sealed {
  readonly batch: Batch | null
  readonly anchor: Anchor | null
}

/** The batch of a seal and its anchor; the latest that were asked for are kept. */
function sealedBatches(
  reader: Reader,
  { tenantId, applicationId }: Application,
): (seal: CaseSeal | null) => Promise<Sealed> {
  const kept = new Map<string, Sealed>()
  async function readBatch(batchId: string): Promise<Sealed> {
    const [found] = await reader.read([get(batches, [tenantId, applicationId, batchId])])
    const batch = one(batches, found)?.row ?? null
    const sequence = batch?.anchorSequence ?? null
    const [anchored] =
      sequence === null ? [] : await reader.read([get(anchors, [tenantId, sequence])])
    return { batch, anchor: one(anchors, anchored)?.row ?? null }
  }
  return async (seal) => {
    const batchId = seal?.batchId ?? null
    if (batchId === null) return { batch: null, anchor: null }
    const sealed = kept.get(batchId) ?? (await readBatch(batchId))
    kept.set(batchId, sealed)
    const [oldest] = kept.keys()
    if (kept.size > keptBatches && oldest !== undefined) kept.delete(oldest)
    return sealed
  }
}

async function* shownCases(
  reader: Reader,
  { tenantId, applicationId }: Application,
): AsyncGenerator<ReviewCase, void, undefined> {
  const marked = markedReader(reader.read, tenantId)
  const where: Where = [['applicationId', '=', applicationId]]
  const all = rowsOf(marked, reviewCases, { where, by: 'byApplication', take: casePiece })
  for await (const review of all) {
    const hidden = await hiddenTexts(reader, marked.erasing(), [review])
    yield hidden.has(review) ? withoutContent(review) : review
  }
}
