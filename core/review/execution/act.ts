import { stillActive } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type {
  Actor,
  ApplicationActor,
  MemberActor,
  SystemActor,
} from '../../kernel/callers/actor.ts'
import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import { fromResult, mapped, rowUnder } from '../../kernel/query.ts'
import type { RowsOf } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import type { ReviewHost } from '../deps.ts'
import { withoutContent } from '../erase-case.ts'
import type { ofCase } from '../inputs.ts'
import type { CaseCommand, Moved } from '../machine/command.ts'
import { decide } from '../machine/machine.ts'
import { caseView } from '../present-case.ts'
import type { ReviewCase } from '../records.ts'
import type { CaseView } from '../shapes.ts'
import { partsOf } from './change-set.ts'
import { caseIn, caseReads, type FoundCase } from './find-case.ts'
import { contextOf, type Scene, sceneOf } from './scene.ts'

/** A unit of work of an operation on cases. */
export type CaseUnit<Code extends RefusalCode = RefusalCode> = Unit<
  MemberActor | ApplicationActor | SystemActor,
  Code,
  ReviewHost
>

/** The reads of `foundCase`, for operations on one case. */
export function ahead(
  { by }: { readonly by: Actor },
  { reviewCaseId }: { readonly reviewCaseId: string },
): ReturnType<typeof caseReads> {
  return caseReads(by, reviewCaseId)
}

/** The case of an operation; another tenant's or application's case is `not_found`, as an unknown one. */
export async function foundCase(
  unit: CaseUnit<'not_found'>,
  reviewCaseId: string,
): Promise<FoundCase> {
  const found = await unit.read(caseReads(unit.by, reviewCaseId))
  return (await caseIn(unit, found)) ?? unit.refuse('not_found', 'no such review case')
}

/** Runs a command on a case, which may depend on what was found; answers with the case after it, as it is shown. */
export async function act(
  unit: CaseUnit,
  { reviewCaseId, caseVersion, eventSequence }: RowsOf<typeof ofCase>,
  asked: CaseCommand | ((found: FoundCase, scene: Scene) => Promise<CaseCommand>),
): Promise<CaseView> {
  const { by, tools } = unit
  const found = await foundCase(unit, reviewCaseId)
  const { was, isErased } = found
  const { tenantId, applicationId } = was.row
  const scene = await sceneOf(unit, tenantId, applicationId)
  // An application is judged with its key, and the service itself acts on.
  if (by.kind === 'member') await unit.ask({ active: activeIfAny(tenantId, applicationId) })
  // The erasure cancels it, and takes its texts in the same commit.
  if (isErased && was.row.state === 'open')
    unit.refuse('invalid_transition', 'the case is cancelled, expected open')
  const command = typeof asked === 'function' ? await asked(found, scene) : asked
  const shown = (review: ReviewCase) =>
    caseView(isErased ? withoutContent(review) : review, by, tools)

  const seen =
    caseVersion === undefined
      ? null
      : { caseVersion, ...(eventSequence !== undefined && { eventSequence }) }
  const decided = decide(was.row, command, contextOf(by, scene, seen))
  if (decided.kind === 'same') return shown(was.row)
  if (decided.kind === 'refused') {
    const { code, detail, ...more } = decided.refusal
    // A version conflict brings the current case.
    const facts = code === 'version_conflict' ? { facts: { case: shown(was.row) } } : {}
    if (!decided.moved) return unit.refuse(code, detail, { ...more, ...facts })
    record(unit, scene, was, decided.moved)
    return unit.refuseRecording(code, detail, { ...more, ...facts })
  }
  record(unit, scene, was, decided)
  return shown(decided.case)
}

/** Collects recorded steps: the case, its events, the callback and audit entries. */
export function record(
  unit: CaseUnit,
  scene: Scene,
  was: Versioned<ReviewCase> | null,
  moved: Moved,
  actor: Actor = unit.by,
): void {
  const { events, ...parts } = partsOf(unit.tools, scene, was, moved, actor)
  unit.include(parts)
  for (const event of events) unit.emit(event, moved.case.tenantId)
}

/** That an application, where there still is one, is not being deleted, at the commit too. */
function activeIfAny(tenantId: string, applicationId: string) {
  return mapped(rowUnder(applications, [tenantId, applicationId]), (application) =>
    application ? fromResult(stillActive(application)) : null,
  )
}
