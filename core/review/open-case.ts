import { authorizeApplication } from '../kernel/callers/authorize.ts'
import { refuseErrors } from '../kernel/ledger/input-errors.ts'
import { ok, refuse } from '../kernel/ledger/refusal.ts'
import { checkOpening } from './check-input.ts'
import { passTime } from './deadlines.ts'
import type { ReviewDeps } from './deps.ts'
import { type Opened, planOpening } from './plan-opening.ts'
import { caseView } from './present-case.ts'
import type { ReviewCaseUseCases } from './use-cases.ts'

/** Max expired cases that one opening records first; more means contention for the checkpoint. */
const maxLapsed = 3

/** Row 1, by an application for itself. */
export function createOpen(ports: ReviewDeps): ReviewCaseUseCases['open'] {
  return async (actor, input) => {
    const who = authorizeApplication(actor, 'openCases')
    if (!who.ok) return who
    const application = who.value
    const malformed = refuseErrors(checkOpening(input))
    for (let lapsed = 0; lapsed < maxLapsed; lapsed++) {
      const opened = await ports.ledger.execute<Opened>(application.tenantId, (unit) =>
        planOpening(ports, unit, { actor: application, input, malformed }),
      )
      if (!opened.ok) return opened
      if ('review' in opened.value) return ok(caseView(opened.value.review, application, ports))
      const passed = await passTime(ports, opened.value.lapsed)
      if (!passed.ok) return passed
    }
    return refuse('busy', 'cases at this checkpoint kept expiring meanwhile; nothing was opened', {
      retryAfter: 1,
    })
  }
}
