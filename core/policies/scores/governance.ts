import { applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import type { GovernanceFacts, Scorer } from '../../base/ports/scorer.ts'
import { type StoredSession, sessions } from '../../content/records.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { list, many, unchanged } from '../../kernel/ledger/reads.ts'
import { foundBy, type Query, queryOf } from '../../kernel/query.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import { sceneFrom } from '../../review/execution/scene.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { headOf, legacyEvent } from '../events.ts'
import { judgeAfter, judgementItemOf } from '../judgement/item.ts'
import { oneDecimal } from './default-scorer.ts'
import { governanceKind } from './governance-item.ts'
import { type ApplicationScore, applicationScores } from './records.ts'

export const windowDays = 7
const dayMs = 86_400_000
const everyMs = 60 * 60 * 1_000
/** Sessions and cases that one computation reads at most, the latest first. */
const mostRead = 5_000

/** Below so many sessions no breach is reported. */
const leastSessions = 10
/** Once the score is so much above the threshold, the next breach is reported again. */
const rearmAbove = 2

/** Computes an application's governance over 7 days: after completions, and hourly, but not while it is being deleted. */
export function createGovernance(scorer: Scorer): WorkHandler {
  return handler({
    kind: governanceKind,
    of: 'application',
    run: async (unit, { tenantId, applicationId }) => {
      const from = unit.now - windowDays * dayMs
      const { routed, applied, was, completed, cases, judgement } = await unit.ask({
        routed: foundBy(routingOf(tenantId)),
        applied: foundBy(applicationOf(tenantId, applicationId)),
        was: applicationScores.get(tenantId, applicationId),
        completed: completedSince(applicationId, from),
        cases: latestCases(applicationId),
        judgement: foundBy(judgementItemOf(tenantId)),
      })
      const scene = sceneFrom(unit, routed, applied)
      const { application } = scene
      // A deletion may be taken back.
      if (application?.row.lifecycleState === 'pending_deletion') return unit.now + everyMs
      if (application?.row.lifecycleState !== 'active') return null
      const facts = factsOf(
        completed,
        cases.filter(({ closedAt }) => closedAt !== null && closedAt >= from),
      )
      const scored = scorer.governance(facts)
      const threshold = application.row.settings?.governanceThreshold ?? null
      const judged = judgeThreshold(
        was && armedFor(was.row, threshold),
        scored?.score ?? null,
        threshold,
        facts.sessions,
      )
      const row: ApplicationScore = {
        tenantId,
        applicationId,
        scorer: scorer.name,
        governance: scored?.score ?? null,
        components: scored?.components ?? {},
        qualityMean: facts.meanQuality === null ? null : oneDecimal(facts.meanQuality),
        sessions: facts.sessions,
        armed: judged.armed,
        threshold,
        computedAt: scene.at,
      }
      unit.put(applicationScores, row, was)
      // The threshold is still the one that it was judged by.
      unit.include({ checks: [unchanged(applications, application)] })
      if (threshold === null) return unit.now + everyMs
      // Health looks at the threshold.
      unit.include({ puts: judgeAfter({ tenantId, now: unit.now }, judgement) })
      if (judged.breach)
        unit.emit(
          legacyEvent(headOf(scene, tenantId), 'governance.threshold_breached', {
            ...judged.breach,
            threshold,
            windowDays,
            computedAt: isoTime(scene.at),
          }),
        )
      return unit.now + everyMs
    },
  })
}

function completedSince(applicationId: string, from: number): Query<readonly StoredSession[]> {
  const read = list(sessions, {
    by: 'byCompletion',
    where: [
      ['applicationId', '=', applicationId],
      ['completedAt', '>=', from],
    ],
    newest: true,
    take: mostRead,
  })
  return queryOf([read], ([found]) => many(sessions, found).map(({ row }) => row))
}

function latestCases(applicationId: string): Query<readonly ReviewCase[]> {
  const read = list(reviewCases, {
    by: 'byApplication',
    where: [['applicationId', '=', applicationId]],
    newest: true,
    take: mostRead,
  })
  return queryOf([read], ([found]) => many(reviewCases, found).map(({ row }) => row))
}

/** What governance is computed from; the cases are closed ones. */
export function factsOf(
  completed: readonly Pick<StoredSession, 'tally' | 'quality'>[],
  closed: readonly Pick<ReviewCase, 'closedAt' | 'dueAt' | 'state'>[],
): GovernanceFacts {
  const qualities = completed.flatMap(({ quality }) => (quality === null ? [] : quality / 10))
  const sum = qualities.reduce((all, quality) => all + quality, 0)
  return {
    sessions: completed.length,
    sessionsWithoutDenial: completed.filter(({ tally }) => tally.deny === 0).length,
    cases: closed.length,
    casesInTime: closed.filter(({ closedAt, dueAt }) => closedAt !== null && closedAt < dueAt)
      .length,
    casesByHuman: closed.filter(({ state }) => state === 'decided').length,
    meanQuality: qualities.length === 0 ? null : sum / qualities.length,
  }
}

/** The last score, armed again where its threshold was another: the last report was about that one. */
export function armedFor(was: ApplicationScore, threshold: number | null): ApplicationScore {
  const isSame = was.threshold === threshold
  return isSame ? was : { ...was, armed: true }
}

/**
 * Whether the score has fallen from the threshold or above to below it, with 10 sessions or more; reported once, until the
 * score has been 2 above the threshold.
 */
export function judgeThreshold(
  was: Pick<ApplicationScore, 'governance' | 'armed'> | null,
  score: number | null,
  threshold: number | null,
  sessionCount: number,
): {
  readonly armed: boolean
  readonly breach: { readonly score: number; readonly previousScore: number } | null
} {
  const armed = was?.armed ?? true
  if (score === null || threshold === null) return { armed, breach: null }
  if (score >= threshold + rearmAbove) return { armed: true, breach: null }
  const previousScore = was?.governance ?? null
  const fell = previousScore !== null && previousScore >= threshold && score < threshold
  if (!fell || !armed || sessionCount < leastSessions) return { armed, breach: null }
  return { armed: false, breach: { score, previousScore } }
}
