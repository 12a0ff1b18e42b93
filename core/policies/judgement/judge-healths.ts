import { type ApplicationHealth, applicationHealths } from '../../applications/health.ts'
import type { Application } from '../../applications/records.ts'
import type { Outgoing } from '../../base/events/outgoing.ts'
import type { Put } from '../../base/ports/store.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { AlertRule } from '../alerts/records.ts'
import { platformEvent } from '../events.ts'
import {
  agreed,
  type HealthJudgement,
  healthWindowMs,
  judgeHealth,
  worstOf,
} from '../health/machine.ts'
import type { Measured } from './judge-rules.ts'

/** An application, or the organization for an empty id, after this judgement. */
export interface JudgedHealth {
  readonly health: ApplicationHealth
  readonly put: Put | null
  readonly event: Outgoing | null
}

interface Moment {
  readonly unit: UnitOfWork
  /** Ms, of the events. */
  readonly at: number
}

/** Judges every active application, then the organization by what they are after it. */
export function judgeHealths(
  measured: Measured & {
    readonly rules: readonly AlertRule[]
    /** When the last session of an application completed, where one did since the last judgement. */
    readonly completedAt: ReadonlyMap<string, number>
  },
  moment: Moment,
): readonly JudgedHealth[] {
  const { organization, rules, completedAt } = measured
  const { tenantId, applications, healths } = organization
  const triggered = rules.filter(({ enabled, state }) => enabled && state === 'triggered')
  const judged: { readonly status: HealthJudgement; readonly done: JudgedHealth }[] = []
  for (const { row } of applications) {
    const { applicationId } = row
    const before = healths.get(applicationId)?.row ?? unjudged(tenantId, row)
    const seen = {
      ...before,
      lastSessionAt: completedAt.get(applicationId) ?? before.lastSessionAt,
    }
    const { sessions, failed } = measured.activityIn(applicationId, healthWindowMs)
    const governance = organization.scores.get(applicationId)?.governance ?? null
    const threshold = row.settings?.governanceThreshold ?? null
    const status = judgeHealth({
      sessions,
      failed,
      alerts: triggered
        .filter((rule) => rule.applicationId === applicationId)
        .map(({ severity }) => severity),
      governanceBelowThreshold: governance !== null && threshold !== null && governance < threshold,
      silentFor: seen.lastSessionAt === null ? null : moment.unit.now - seen.lastSessionAt,
    })
    const done = moved(measured, seen, status, moment, row)
    judged.push({ status: { ...status, status: done.health.status }, done })
  }
  const own = healths.get('')?.row ?? unjudged(tenantId, null)
  const alerts = triggered
    .filter(({ applicationId }) => applicationId === null)
    .map(({ severity }) => severity)
  const worst = worstOf([...judged.map(({ status }) => status), ...ofOrganization(alerts)])
  return [...judged.map(({ done }) => done), moved(measured, own, worst, moment, null)]
}

/** The health by alerts over all applications; empty without any. */
function ofOrganization(alerts: readonly AlertRule['severity'][]): readonly HealthJudgement[] {
  const counted = alerts.filter((severity) => severity !== 'info')
  if (counted.length === 0) return []
  const silent = { sessions: 0, failed: 0, governanceBelowThreshold: false, silentFor: null }
  return [judgeHealth({ ...silent, alerts: counted })]
}

function unjudged(tenantId: string, application: Application | null): ApplicationHealth {
  return {
    tenantId,
    applicationId: application?.applicationId ?? '',
    status: 'unknown',
    since: application?.createdAt ?? 0,
    candidate: null,
    lastSessionAt: null,
  }
}

function moved(
  { organization }: Measured,
  before: ApplicationHealth,
  judged: HealthJudgement,
  { unit, at }: Moment,
  application: Application | null,
): JudgedHealth {
  const was = organization.healths.get(before.applicationId) ?? null
  const state = agreed(before, judged.status)
  const isChanged = state.status !== before.status
  const health = { ...before, ...state, since: isChanged ? at : before.since }
  const isSame = was ? JSON.stringify(health) === JSON.stringify(was.row) : isUntold(health)
  const head = { id: isChanged ? unit.id('evt') : '', at, application }
  return {
    health,
    put: isSame ? null : put(applicationHealths, health, was),
    event: isChanged
      ? platformEvent({ ...head, tenantId: before.tenantId }, 'health.status_changed', {
          scope: application ? 'application' : 'organization',
          previousStatus: before.status,
          status: health.status,
          reasons: judged.reasons,
          changedAt: isoTime(at),
        })
      : null,
  }
}

/** Whether the health needs no row yet. */
function isUntold({ status, candidate, lastSessionAt }: ApplicationHealth): boolean {
  return status === 'unknown' && candidate === null && lastSessionAt === null
}
