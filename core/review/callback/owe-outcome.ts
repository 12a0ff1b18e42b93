import type { Put } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { owe } from '../../outbox/owe.ts'
import type { ReviewHost } from '../deps.ts'
import type { ReviewCase } from '../records.ts'
import { outcomeMessage } from './outcome-message.ts'

/** The puts that owe the outcome callback of a closed case to its application. */
export function oweOutcome(
  host: ReviewHost,
  unit: UnitOfWork,
  review: ReviewCase,
  trigger: 'event' | 'replay',
): readonly Put[] {
  return owe(unit, host.intake, outcomeMessage(review, host), [
    {
      endpointId: review.applicationId,
      kind: 'callback',
      policy: 'callback',
      generation: 0,
      trigger,
    },
  ])
}
