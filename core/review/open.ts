import { authorizeApplication } from '../access/authorize.ts'
import { refusal } from '../ledger/ledger.ts'
import { ok } from '../ledger/refusal.ts'
import type { ReviewRoom } from './act.ts'
import { passTime } from './deadlines.ts'
import { type Opened, planOpening } from './opening.ts'
import { caseView } from './present.ts'
import { sceneOf } from './scene.ts'
import { standingOf, standingReads } from './standing.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'

/** Row 1, by an application for itself. */
export function createOpen(room: ReviewRoom): ReviewCaseUseCases['open'] {
  return async (actor, input) => {
    const who = authorizeApplication(actor, 'openCases')
    if (!who.ok) return who
    const { tenantId, applicationId } = who.value
    for (;;) {
      const opened = await room.ledger.execute<Opened>(tenantId, async (attempt) => {
        const found = await attempt.read(standingReads(who.value))
        const standing = standingOf(who.value, 'openCases', found)
        if (!standing.ok) return refusal(standing)
        const scene = await sceneOf(attempt, tenantId, applicationId)
        const { checks } = standing.value
        return await planOpening(room, scene, {
          tenantId,
          applicationId,
          actor: who.value,
          input,
          checks,
        })
      })
      if (!opened.ok) return opened
      if ('review' in opened.value)
        return ok(caseView(opened.value.review, who.value, room.ingestUrl))
      await passTime(room, opened.value.lapsed)
    }
  }
}
