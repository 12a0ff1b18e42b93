import type { Outgoing } from '../base/events/outgoing.ts'
import type { Found, Put } from '../base/ports/store.ts'
import { occurred } from '../content/activity/records.ts'
import type { PolicyResult, SessionKey } from '../content/records.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { one } from '../kernel/ledger/reads.ts'
import type { CaseParts } from '../review/execution/change-set.ts'
import type { Scene } from '../review/execution/scene.ts'
import { headOf, platformEvent } from './events.ts'
import { raiseFlag } from './flags/raise-flag.ts'
import { sessionFlags } from './flags/records.ts'
import type { Judged } from './judged.ts'
import { severities } from './rules/shapes.ts'

/** The results that deny, of all that was judged. */
export function denials(judged: readonly Judged[]): readonly PolicyResult[] {
  return judged.flatMap(({ judgement }) =>
    judgement.results.filter(({ effect }) => effect === 'deny'),
  )
}

/** The event of a denial. */
export function violation(
  scene: Scene,
  { tenantId, sessionId }: SessionKey,
  result: PolicyResult,
): Outgoing {
  const { stepId, ruleId, ruleVersion, ruleName, severity, source, matchedAt } = result
  return platformEvent(headOf(scene, tenantId), 'compliance.rule_violation', {
    sessionId,
    stepId,
    ruleId,
    ruleVersion,
    ruleName,
    severity,
    source,
    detectedAt: isoTime(matchedAt),
  })
}

/** Counts denials for alert rules. */
export function violationPuts(
  { unit: { now, id } }: Scene,
  { tenantId, applicationId }: SessionKey,
  count: number,
): readonly Put[] {
  if (count === 0) return []
  const what = 'violations' as const
  return [occurred({ tenantId, applicationId, at: now, about: id('evt'), what, count })]
}

/** One flag for all denials, as severe as the severest; an open one is kept instead. */
export function flagParts(
  scene: Scene,
  session: SessionKey,
  denied: readonly PolicyResult[],
  found: Found | undefined,
): Pick<CaseParts, 'puts' | 'checks' | 'events'> {
  if (denied.length === 0) return { puts: [], checks: [], events: [] }
  const open = one(sessionFlags, found)
  if (open) {
    const { tenantId, applicationId, sessionId, flagId } = open.row
    const key = [tenantId, applicationId, sessionId, flagId] as const
    return { puts: [], checks: [{ in: sessionFlags.name, key, version: open.version }], events: [] }
  }
  const severity =
    severities[Math.max(...denied.map(({ severity }) => severities.indexOf(severity)))]
  const raised = raiseFlag(
    session,
    {
      flag: 'compliance',
      source: 'policy',
      severity: severity ?? 'warning',
      note: null,
      raisedBy: null,
    },
    { flagId: scene.unit.id('flag'), head: headOf(scene, session.tenantId) },
  )
  return { puts: [raised.put], checks: [], events: [raised.event] }
}
