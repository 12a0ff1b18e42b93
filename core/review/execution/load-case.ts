import type { Found, Read, Versioned } from '../../base/ports/store.ts'
import { erasingIn, hiddenTexts, marksOf } from '../../content/erasure-marks.ts'
import { type Actor, tenantOf } from '../../kernel/callers/actor.ts'
import type { Right } from '../../kernel/callers/authorize.ts'
import { list, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { caseOf, type ReviewCase, reviewCases } from '../records.ts'
import type { Surroundings } from './scene.ts'
import { type Standing, standingOf, standingReads } from './standing.ts'

/** A case that the actor may see, and what its change depends on. */
export interface LoadedCase extends Standing {
  readonly was: Versioned<ReviewCase>
  /** What the same read found of the case's routing and application; null for an actor that does not name these. */
  readonly surroundings: Surroundings | null
  /** The case is of somebody whose erasure has begun: nothing that callers wrote is shown. */
  readonly isErased: boolean
}

/** Ids of another form are unknown without asking the store. */
const caseId = /^rc_[0-9a-z]{26}$/

/** Loads the case for this actor; another tenant's or application's case is `not_found`, as an unknown one. */
export async function loadCase(
  reader: { read(reads: readonly Read[]): Promise<readonly Found[]> },
  actor: Actor,
  right: Right,
  reviewCaseId: string,
): Promise<Result<LoadedCase>> {
  const known = caseId.test(reviewCaseId)
  const ofApplication = actor.kind === 'application'
  const tenantId = tenantOf(actor)
  const found = await reader.read([
    ...standingReads(actor),
    ...(ofApplication ? [routingOf(actor.tenantId)] : []),
    ...(tenantId === null ? [] : [marksOf(tenantId)]),
    ...(known ? [caseFor(actor, reviewCaseId)] : []),
  ])
  const standing = standingOf(actor, right, found)
  if (!standing.ok) return standing
  const was = known ? one(reviewCases, found.at(-1)) : null
  if (!was || isForeign(actor, was.row)) return refuse('not_found', 'no such review case')
  const [, applied, routed] = found
  const surroundings = ofApplication ? { routed, applied } : null
  const erasing = erasingIn(tenantId === null ? undefined : found.at(-2))
  const isErased = (await hiddenTexts(reader, erasing, [was.row])).size > 0
  return ok({ ...standing.value, was, surroundings, isErased })
}

/** The read of a case of this actor: another's row, which may be large, is left unread, as one that is not there. */
function caseFor(actor: Actor, reviewCaseId: string): Read {
  if (actor.kind === 'system') return caseOf(reviewCaseId)
  return list(reviewCases, {
    where: [
      ['reviewCaseId', '=', reviewCaseId],
      ['tenantId', '=', tenantOf(actor)],
      ...(actor.kind === 'application'
        ? [['applicationId', '=', actor.applicationId] as const]
        : []),
    ],
    take: 1,
  })
}

function isForeign(actor: Actor, { tenantId, applicationId }: ReviewCase): boolean {
  if (actor.kind === 'system') return false
  if (tenantOf(actor) !== tenantId) return true
  return actor.kind === 'application' && actor.applicationId !== applicationId
}
