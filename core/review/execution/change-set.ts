import type { Outgoing } from '../../base/events/outgoing.ts'
import type { ChangeSet, Check, Put, Versioned } from '../../base/ports/store.ts'
import { type Actor, actorName } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { fanOut } from '../../webhooks/routing/fan-out.ts'
import { oweOutcome } from '../callback/owe-outcome.ts'
import { caseSealItem } from '../case-record.ts'
import type { ReviewHost } from '../deps.ts'
import type { Moved, Recorded } from '../machine/command.ts'
import { outcomePut } from '../queue/outcome-records.ts'
import { type ReviewCase, reviewCases } from '../records.ts'
import { eventsOf, outgoing } from './case-events.ts'
import type { Scene } from './scene.ts'

export type Changes = Required<Pick<ChangeSet, 'checks' | 'puts' | 'appends'>>

/** Parts of a change set whose events are still to be fanned out: once for the whole set. */
export interface CaseParts extends Changes {
  readonly events: readonly Outgoing[]
}

/** The change set of recorded steps: the case, deliveries of its events, the callback and audit entries. */
export function changesOf(
  host: ReviewHost,
  scene: Scene,
  was: Versioned<ReviewCase> | null,
  moved: Moved,
  actor: Actor,
): Changes {
  return withDeliveries(host, scene, moved.case.tenantId, partsOf(host, scene, was, moved, actor))
}

/** The parts with the deliveries that their events owe. */
export function withDeliveries(
  host: Pick<ReviewHost, 'intake'>,
  { unit, routing }: Pick<Scene, 'unit' | 'routing'>,
  tenantId: string,
  { events, ...parts }: CaseParts,
): Changes {
  const { now, id } = unit
  const owed = fanOut({ routing, tenantId, events, now, id, intake: host.intake })
  return {
    ...parts,
    puts: [...parts.puts, ...owed.puts],
    checks: [...owed.checks, ...parts.checks],
  }
}

/** As `changesOf`, for a change set that has other events besides. */
export function partsOf(
  host: ReviewHost,
  scene: Scene,
  was: Versioned<ReviewCase> | null,
  moved: Moved,
  actor: Actor,
): CaseParts {
  const review = moved.case
  const events = eventsOf(review, moved.recorded, {
    newId: () => scene.unit.id('evt'),
    ingestUrl: host.ingestUrl,
  })
  const closing = was?.row.state === 'open' && review.state !== 'open'
  return {
    puts: [put(reviewCases, review, was), ...(closing ? closingPuts(host, scene, review) : [])],
    // An application that acts is checked with its standing.
    checks: closing && actor.kind !== 'application' ? applicationChecks(scene, review) : [],
    appends: auditEntries(review, moved.recorded, actor),
    events: events.map(outgoing),
  }
}

/** What the end of a case owes: its seal, its count, and the outcome where the application is called back. */
function closingPuts(host: ReviewHost, { unit }: Scene, review: ReviewCase): readonly Put[] {
  const isOwed = review.callback.state === 'pending'
  const owed = isOwed ? oweOutcome(host, unit, review, 'event') : []
  return [...owed, caseSealItem(review, unit.now), ...outcomePut(review)]
}

/** Whether a callback is owed depends on the application's row, so that is a check. */
function applicationChecks({ application }: Scene, review: ReviewCase): readonly Check[] {
  const { tenantId, applicationId } = review
  return [applicationCheck(tenantId, applicationId, application?.version ?? 0)]
}

/** Each act of a member, and a resumption that nobody approved. Comments and answers stay out. */
function auditEntries(
  review: ReviewCase,
  recorded: readonly Recorded[],
  actor: Actor,
): Changes['appends'] {
  return recorded.flatMap((step) => {
    const action = auditedAction(review, step, actor)
    if (!action) return []
    return [
      audit(review.tenantId, {
        at: isoTime(step.at),
        actor: actorName(actor),
        action: `review_case.${action}`,
        subject: review.reviewCaseId,
        detail: {
          applicationId: review.applicationId,
          caseVersion: step.caseVersion,
          eventSequence: step.eventSequence,
          decision: step.decision,
        },
      }),
    ]
  })
}

const withoutApproval: readonly (string | null)[] = ['rejected', 'cancelled', 'expired']

function auditedAction(review: ReviewCase, { step }: Recorded, actor: Actor): string | null {
  if (step === 'expired' || step === 'overdue') return null
  if (
    step === 'continuation_reported' &&
    review.continuation?.outcome === 'resumed' &&
    withoutApproval.includes(review.decision)
  )
    return 'resumed_without_approval'
  return actor.kind === 'member' ? step : null
}

/** That an application's row is of this version; 0 where there is none. */
export function applicationCheck(tenantId: string, applicationId: string, version: number): Check {
  return { in: 'applications', key: [tenantId, applicationId], version }
}
