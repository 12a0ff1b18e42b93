import { erasingIn, hiddenTexts, marksOf } from '../content/erasure-marks.ts'
import { many } from '../kernel/ledger/reads.ts'
import { operationsWith } from '../kernel/operation.ts'
import { routingOf } from '../webhooks/routing/fan-out.ts'
import type { ReviewHost } from './deps.ts'
import { shownAt } from './execution/shown-at.ts'
import { opening } from './inputs.ts'
import { type Place, placeOf } from './place.ts'
import { newestCaseAt, reviewCases } from './records.ts'
import { caseShape } from './shapes.ts'

const { command } = operationsWith<ReviewHost>()

/**
 * The newest case of a checkpoint, in whatever state: the open one where there is one. It opens nothing. A checkpoint is
 * named as in an opening.
 */
export const findCase = command({
  name: 'reviewCases.find',
  doc: 'Find the newest case of a checkpoint',
  by: 'application',
  right: 'readCases',
  takes: { sessionId: opening.sessionId, checkpointId: opening.checkpointId },
  gives: caseShape,
  refuses: ['not_found'],
  async run(unit, named) {
    const { by, read } = unit
    const place = await placeOf(unit, named)
    const { checkpointId } = named
    // A case may have its id as it was given: a step's, or one from before a policy.
    const places: readonly Place[] =
      place.checkpointId === checkpointId ? [place] : [place, { ...place, checkpointId }]
    const [marked, , ...found] = await read([
      marksOf(by.tenantId),
      routingOf(by.tenantId),
      ...places.map((each) => newestCaseAt({ ...by, ...each })),
    ])
    // Ids sort by time.
    const [was] = found
      .flatMap((each) => many(reviewCases, each))
      .sort((one, other) => (one.row.reviewCaseId < other.row.reviewCaseId ? 1 : -1))
    if (!was) return unit.refuse('not_found', 'no review case at this checkpoint')
    const isErased = (await hiddenTexts(unit, erasingIn(marked), [was.row])).size > 0
    return shownAt(unit, { was, isErased })
  },
})
