import type { Outgoing } from '../../base/events/outgoing.ts'
import type { Scorer } from '../../base/ports/scorer.ts'
import type { Found, Put, Read } from '../../base/ports/store.ts'
import type { SessionKey, StoredSession } from '../../content/records.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { schedule, workItems } from '../../kernel/work/records.ts'
import type { Scene } from '../../review/execution/scene.ts'
import { headOf, legacyEvent } from '../events.ts'
import { raiseFlag } from '../flags/raise-flag.ts'
import { openFlagOf, sessionFlags } from '../flags/records.ts'
import { governanceItem, governanceKind } from './governance-item.ts'

/** Parts of the commit in which a session completes; the events are fanned out with its others. */
export interface QualityParts {
  /** For the session's row: tenths of a point; null where there was nothing to compute from. */
  readonly quality: number | null
  /** Flags raised: what the session's `openFlags` grows by. */
  readonly flags: number
  readonly puts: readonly Put[]
  readonly events: readonly Outgoing[]
}

/** The read whose answer `qualityParts` takes. */
export function qualityRead(session: SessionKey): Read {
  return openFlagOf(session, 'quality', 'score')
}

/** The read whose answer `governanceParts` takes. */
export function governanceRead(applicationId: string): Read {
  return get(workItems, [governanceKind, applicationId])
}

/** Governance is computed this long after a completion, once for all that complete by then. */
const governanceDelayMs = 60_000

/** Schedules the next computation of an application's governance; with the completion of one or more of its sessions. */
export function governanceParts(
  { now }: Pick<UnitOfWork, 'now'>,
  place: { readonly tenantId: string; readonly applicationId: string },
  found: Found | undefined,
): readonly Put[] {
  const item = one(workItems, found)
  const due = now + governanceDelayMs
  return item && item.row.due <= due ? [] : [schedule(governanceItem(place, due), item)]
}

/**
 * Scores a session that completes now, once: `quality.score_computed`, and under the application's threshold a flag
 * `quality`. `found` is undefined for a session that is new.
 */
export function qualityParts(
  scorer: Scorer,
  scene: Scene,
  session: StoredSession,
  found: Found | undefined,
): QualityParts {
  const { unit, at, application } = scene
  const { tenantId, applicationId, sessionId, tally, status } = session
  const scored = scorer.quality({
    steps: tally.steps,
    errors: tally.errors,
    failed: status === 'failed',
    guardrails: tally.guardrails,
    guardrailsOk: tally.guardrailsOk,
    meanScore: tally.scores === 0 ? null : tally.scoreSum / tally.scores,
  })
  if (!scored) return { quality: null, flags: 0, puts: [], events: [] }
  const { score, components } = scored
  const computed = legacyEvent(headOf(scene, tenantId), 'quality.score_computed', {
    sessionId,
    score,
    components,
    scorer: scorer.name,
    computedAt: isoTime(at),
  })
  const quality = Math.round(score * 10)
  const threshold = application?.row.settings?.qualityThreshold ?? null
  const open = one(sessionFlags, found)
  if (threshold === null || score >= threshold || open)
    return { quality, flags: 0, puts: [], events: [computed] }
  const raised = raiseFlag(
    { tenantId, applicationId, sessionId },
    { flag: 'quality', source: 'score', severity: 'warning', note: null, raisedBy: null },
    { flagId: unit.id('flag'), head: headOf(scene, tenantId) },
  )
  return {
    quality,
    flags: 1,
    puts: [raised.put],
    events: [computed, raised.event],
  }
}
