import type { Versioned } from '../base/ports/store.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import { handler, type WorkHandler } from '../kernel/work/handler.ts'
import type { WorkItem } from '../kernel/work/records.ts'
import type { ReviewHost } from './deps.ts'
import { type Changes, changesOf } from './execution/change-set.ts'
import { contextOf, type Scene, sceneOf } from './execution/scene.ts'
import type { Moved } from './machine/command.ts'
import { decide } from './machine/machine.ts'
import { type ReviewCase, reviewCases } from './records.ts'

const kind = 'reviewCase.deadline'

/** The work item of a case: due at its next deadline, removed once the case is closed. */
export function deadlineItem(review: ReviewCase): Omit<WorkItem, 'claims' | 'state'> {
  const { reviewCaseId, tenantId, applicationId } = review
  return { kind, ref: reviewCaseId, tenantId, applicationId, due: nextDeadline(review) }
}

function nextDeadline({ overdueAt, dueAt, expiresAt }: ReviewCase): number {
  return overdueAt === null ? dueAt : expiresAt
}

/** Rows 8 and 9 at their times; after a downtime past both only row 9. */
export function createDeadlineHandler(host: ReviewHost): WorkHandler {
  return handler({
    kind,
    run: async (unit, { ref }) => {
      const { was } = await unit.ask({ was: reviewCases.get(ref) })
      if (was?.row.state !== 'open') return null
      const scene = await sceneOf(unit, was.row.tenantId, was.row.applicationId)
      const step = timeStep(host, scene, was)
      if (!step) return nextDeadline(was.row)
      unit.include(step.changes)
      const after = step.moved.case
      return after.state === 'open' ? nextDeadline(after) : null
    },
  })
}

const system: Actor = { kind: 'system' }

/** The step that time alone takes (rows 8 and 9) and its change set; null before a deadline. */
export function timeStep(
  host: ReviewHost,
  scene: Scene,
  was: Versioned<ReviewCase>,
): { readonly moved: Moved; readonly changes: Changes } | null {
  const moved = dueStep(scene, was)
  return moved && { moved, changes: changesOf(host, scene, was, moved, system) }
}

/** The step that time alone takes (rows 8 and 9); null before a deadline. */
export function dueStep(scene: Scene, was: Versioned<ReviewCase>): Moved | null {
  const decided = decide(was.row, { type: 'deadline' }, contextOf(system, scene))
  return decided.kind === 'moved' ? decided : null
}

/** The case as reads show it: expired at its end, also before that is recorded; alike until then, whenever it is read. */
export function shownCase(
  review: ReviewCase,
  scene: Pick<Scene, 'at' | 'application'>,
): ReviewCase {
  if (review.state !== 'open' || scene.at < review.expiresAt) return review
  const end = { at: review.expiresAt, application: scene.application }
  const decided = decide(review, { type: 'deadline' }, contextOf(system, end))
  return decided.kind === 'moved' ? decided.case : review
}
