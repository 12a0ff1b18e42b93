import { authorizeApplication } from '../access/authorize.ts'
import { refusal } from '../ledger/ledger.ts'
import { ok } from '../ledger/refusal.ts'
import { passTime } from './deadlines.ts'
import { type Opened, planOpening } from './opening.ts'
import type { ReviewPorts } from './ports.ts'
import { caseView } from './present.ts'
import { sceneOf } from './scene.ts'
import { standingOf, standingReads } from './standing.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'

/** Row 1, by an application for itself. */
export function createOpen(ports: ReviewPorts): ReviewCaseUseCases['open'] {
  return async (actor, input) => {
    const who = authorizeApplication(actor, 'openCases')
    if (!who.ok) return who
    const { tenantId, applicationId } = who.value
    for (;;) {
      const opened = await ports.ledger.execute<Opened>(tenantId, async (attempt) => {
        const found = await attempt.read(standingReads(who.value))
        const standing = standingOf(who.value, 'openCases', found)
        if (!standing.ok) return refusal(standing)
        const scene = await sceneOf(attempt, tenantId, applicationId)
        const { checks } = standing.value
        return await planOpening(ports, scene, {
          tenantId,
          applicationId,
          actor: who.value,
          input,
          checks,
        })
      })
      if (!opened.ok) return opened
      if ('review' in opened.value)
        return ok(caseView(opened.value.review, who.value, ports.ingestUrl))
      await passTime(ports, opened.value.lapsed)
    }
  }
}
