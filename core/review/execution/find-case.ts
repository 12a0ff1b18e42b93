import type { Found, Read, Versioned } from '../../base/ports/store.ts'
import { erasingIn, hiddenTexts, marksOf } from '../../content/erasure-marks.ts'
import { type Actor, tenantOf } from '../../kernel/callers/actor.ts'
import { list, one } from '../../kernel/ledger/reads.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { caseOf, type ReviewCase, reviewCases } from '../records.ts'

/** A case that its caller may see. */
export interface FoundCase {
  readonly was: Versioned<ReviewCase>
  /** The case is of somebody whose erasure has begun: nothing that callers wrote is shown. */
  readonly isErased: boolean
}

/** Ids of another form are unknown without asking the store. */
const caseId = /^rc_[0-9a-z]{26}$/

/**
 * The reads whose answers `caseIn` takes, and the one of the routing that a change needs. A case of another tenant or
 * application, which may be large, is left unread, as one that is not there.
 */
export function caseReads(by: Actor, reviewCaseId: string): readonly Read[] {
  if (!caseId.test(reviewCaseId)) return []
  const tenantId = tenantOf(by)
  if (tenantId === null) return [caseOf(reviewCaseId)]
  const own = list(reviewCases, {
    where: [
      ['reviewCaseId', '=', reviewCaseId],
      ['tenantId', '=', tenantId],
      ...(by.kind === 'application' ? [['applicationId', '=', by.applicationId] as const] : []),
    ],
    take: 1,
  })
  return [own, marksOf(tenantId), routingOf(tenantId)]
}

/** The case that `caseReads` found; null where this caller has none of this id. */
export async function caseIn(
  reader: { read(reads: readonly Read[]): Promise<readonly Found[]> },
  [found, marked]: readonly Found[],
): Promise<FoundCase | null> {
  const was = one(reviewCases, found)
  return (
    was && { was, isErased: (await hiddenTexts(reader, erasingIn(marked), [was.row])).size > 0 }
  )
}
