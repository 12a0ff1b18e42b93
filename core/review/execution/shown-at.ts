import { shownCase } from '../deadlines.ts'
import { withoutContent } from '../erase-case.ts'
import { caseView } from '../present-case.ts'
import type { CaseView } from '../shapes.ts'
import type { CaseUnit } from './act.ts'
import { shownErased } from './end-erased.ts'
import type { FoundCase } from './find-case.ts'
import { sceneOf } from './scene.ts'

/** A case as it is now: from `expiresAt` on expired, and while its data subject is being erased cancelled. */
export async function shownAt(unit: CaseUnit, { was, isErased }: FoundCase): Promise<CaseView> {
  const { row } = was
  const view = (review: typeof row) => caseView(review, unit.by, unit.tools)
  if (row.state !== 'open' || !(isErased || unit.now >= row.expiresAt))
    return view(isErased ? withoutContent(row) : row)
  const scene = await sceneOf(unit, row.tenantId, row.applicationId)
  return view(isErased ? shownErased(row, scene) : shownCase(row, scene))
}
