import type { CancellationReason, ReviewTier, WhyReason } from '../base/events/review.ts'
import type { Versioned } from '../base/ports/store.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import { schedule } from '../kernel/work/records.ts'
import { deadlineItem, dueStep } from './deadlines.ts'
import type { ReviewHost } from './deps.ts'
import { type CaseParts, partsOf } from './execution/change-set.ts'
import { contextOf, type Scene } from './execution/scene.ts'
import { decide } from './machine/machine.ts'
import { newCase } from './machine/new-case.ts'
import { noticePuts } from './notices/tell-reviewers.ts'
import type { ReviewCase } from './records.ts'
import { sealToken } from './sealing.ts'
import type { Presentation } from './shapes.ts'

/** The case that policy rules require at a checkpoint. */
export interface PolicyCase {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly stepId: string | null
  readonly checkpointId: string
  /** The application's own value; null where it gave none. */
  readonly resumeToken: string | null
  readonly reasonCategory: WhyReason | 'other'
  readonly reviewTier: ReviewTier
  /** From its opening; null takes the tier's. */
  readonly dueInSeconds: number | null
  readonly expiresInSeconds: number | null
  readonly presentation: Presentation
  readonly policyResults: readonly unknown[]
}

const system: Actor = { kind: 'system' }
const none: CaseParts = { puts: [], checks: [], appends: [], events: [] }

/**
 * Row 1, by a policy rule within another change set. `open` is what `openCaseAt` found at the checkpoint: a case that
 * is still open stands in for the new one, which `opened` tells, and one past its expiry is recorded as expired first.
 */
export function policyCaseParts(
  host: ReviewHost,
  scene: Scene,
  asked: PolicyCase,
  open: Versioned<ReviewCase> | null,
): { readonly review: ReviewCase; readonly opened: boolean; readonly parts: CaseParts } {
  const { unit, at } = scene
  const lapsed = open !== null && open.row.expiresAt <= at ? dueStep(scene, open) : null
  if (open && !lapsed) {
    const check = {
      in: 'reviewCases',
      key: [open.row.reviewCaseId],
      version: open.version,
    } as const
    return { review: open.row, opened: false, parts: { ...none, checks: [check] } }
  }
  const { tenantId, applicationId, resumeToken: token, dueInSeconds, expiresInSeconds } = asked
  const owner = { tenantId, applicationId, reviewCaseId: unit.id('rc') }
  const moved = newCase(
    {
      ...asked,
      requestedBy: null,
      ...(dueInSeconds === null ? {} : { dueAt: at + dueInSeconds * 1_000 }),
      ...(expiresInSeconds === null ? {} : { expiresAt: at + expiresInSeconds * 1_000 }),
    },
    {
      ...owner,
      resumeToken: token === null ? null : sealToken(host.sealer, owner, token),
      at,
      by: 'system',
    },
  )
  const ended = lapsed ? partsOf(host, scene, open, lapsed, system) : none
  const begun = partsOf(host, scene, null, moved, system)
  return {
    review: moved.case,
    opened: true,
    parts: {
      puts: [
        ...ended.puts,
        ...begun.puts,
        schedule(deadlineItem(moved.case)),
        ...noticePuts(host, moved.case, unit.now),
      ],
      checks: [...ended.checks, ...begun.checks],
      appends: [...ended.appends, ...begun.appends],
      events: [...ended.events, ...begun.events],
    },
  }
}

/**
 * Row 16, and whether the case has moved: one past its expiry expires first, and moves with the next change set. Nothing
 * for a case that is in this session already.
 */
export function movingParts(
  host: ReviewHost,
  scene: Scene,
  was: Versioned<ReviewCase>,
  sessionId: string,
): { readonly parts: CaseParts; readonly moved: ReviewCase | null } {
  const decided = decide(was.row, { type: 'move_session', sessionId }, contextOf(system, scene))
  const steps = decided.kind === 'refused' ? decided.moved : decided
  if (steps?.kind !== 'moved') return { parts: none, moved: was.row }
  const parts = partsOf(host, scene, was, steps, system)
  return { parts, moved: decided.kind === 'moved' ? steps.case : null }
}

/** Row 7, by the service itself; a case past its expiry expires. Null for one that is closed. */
export function cancellationParts(
  host: ReviewHost,
  scene: Scene,
  was: Versioned<ReviewCase>,
  reason: CancellationReason,
): CaseParts | null {
  const command = { type: 'cancel', reason } as const
  const decided = decide(was.row, command, contextOf(system, scene))
  const moved = decided.kind === 'refused' ? decided.moved : decided
  return moved?.kind === 'moved' ? partsOf(host, scene, was, moved, system) : null
}
