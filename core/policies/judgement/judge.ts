import { applications } from '../../applications/records.ts'
import type { Put } from '../../base/ports/store.ts'
import {
  activityBetween,
  type Fact,
  folded,
  hasFactsSince,
  minutesSince,
  type Place,
  readFacts,
  slotOf,
} from '../../content/activity/fold-activity.ts'
import { type ActivityMinute, activityMinutes } from '../../content/activity/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { many, unchanged } from '../../kernel/ledger/reads.ts'
import type { Post } from '../../kernel/mail/post.ts'
import type { Parts } from '../../kernel/ports.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import { eventTime } from '../../webhooks/routing/event-time.ts'
import { healthWindowMs, silentMs } from '../health/machine.ts'
import { countCases, type Organization, readOrganization } from './facts.ts'
import { judgedAt, judgementKind, type Progress, settleMs } from './item.ts'
import { type JudgedHealth, judgeHealths } from './judge-healths.ts'
import { judgeRules, type Measured } from './judge-rules.ts'

const everyMs = 60_000
const dayMs = 86_400_000

/**
 * Judges alert rules and health of an organization: every 60 s while there is anything to judge, soon after sessions
 * complete, and immediately when a rule changes. Activity since the last judgement is added to the minutes first.
 */
export function createJudgement({ post }: { readonly post: Pick<Post, 'sends'> }): WorkHandler {
  return handler<Progress | null>({
    kind: judgementKind,
    run: async (unit, { tenantId, state: progress }) => {
      const organization = await readOrganization(unit, tenantId)
      if (organization.tenant?.deletedAt) return null
      const counted = await countActivity(unit, organization, progress)
      const state: Progress = { foldedUntil: counted.until }
      if (!counted.isComplete) {
        unit.include(ofActive(organization, counted.puts))
        return { next: unit.now, state }
      }
      const { rules } = organization
      const measured: Measured = {
        organization,
        cases: await countCases(
          unit,
          tenantId,
          rules.map(({ row }) => row),
        ),
        activityIn: counted.activityIn,
      }
      const moment = { unit, at: eventTime(organization.routing, unit.now) }
      const judged = judgeRules(measured, { ...moment, mails: post.sends })
      const judgedRules = new Map(judged.map(({ rule }) => [rule.alertRuleId, rule]))
      const healths = judgeHealths(
        {
          ...measured,
          rules: rules.map(({ row }) => judgedRules.get(row.alertRuleId) ?? row),
          completedAt: counted.completedAt,
        },
        moment,
      )
      const after = [...judged, ...healths]
      unit.include(
        ofActive(organization, [...counted.puts, ...after.flatMap((each) => each.put ?? [])]),
      )
      for (const { event } of after) if (event) unit.emit(event)
      for (const { letter } of judged) if (letter) unit.mail(letter)
      const next = nextJudgement(unit.now, counted.isBusy, judged.length > 0, healths)
      return { next, state }
    },
  })
}

interface Counted {
  /** Ms: activity before it is in the minutes. */
  readonly until: number
  /** False: more is left to be added first. */
  readonly isComplete: boolean
  /** Something was added, or is left for the next judgement. */
  readonly isBusy: boolean
  readonly puts: readonly Put[]
  readonly activityIn: Measured['activityIn']
  readonly completedAt: ReadonlyMap<string, number>
}

/** Adds activity to the minutes, and reads as many of these as the rules look back. */
async function countActivity(
  unit: UnitOfWork,
  { tenantId, applications: active, rules }: Organization,
  progress: Progress | null,
): Promise<Counted> {
  const from = progress?.foldedUntil ?? slotOf(unit.now - dayMs)
  // A clock that was set back counts nothing twice.
  const target = Math.max(from, slotOf(unit.now - settleMs))
  const places: readonly Place[] = ['', ...active.map(({ row }) => row.applicationId)].map(
    (applicationId) => ({ tenantId, applicationId }),
  )
  const unfolded = await readFacts(unit, places, from, target)
  const until = Math.min(target, ...unfolded.map((each) => each.until))
  const factsOf = (at: number): readonly Fact[] =>
    unfolded[at]?.facts.filter((fact) => fact.at < until) ?? []
  const lookBack = (applicationId: string) =>
    Math.max(
      healthWindowMs,
      ...rules
        .filter(({ row }) => row.applicationId === null || row.applicationId === applicationId)
        .map(({ row }) => row.windowSeconds * 1_000),
    )
  const found = await unit.read(
    places.map((place) =>
      minutesSince(place, Math.min(from, until - lookBack(place.applicationId))),
    ),
  )
  const minutes = new Map<string, readonly ActivityMinute[]>()
  const completedAt = new Map<string, number>()
  const puts: Put[] = []
  for (const [at, place] of places.entries()) {
    const facts = factsOf(at)
    const sums = folded(place, facts, many(activityMinutes, found[at]))
    minutes.set(place.applicationId, sums.minutes)
    puts.push(...sums.puts)
    const last = facts.findLast(({ activity }) => activity.sessions > 0)
    if (last) completedAt.set(place.applicationId, last.at)
  }
  return {
    until,
    isComplete: until === target,
    // What came too late to be counted now found this judgement due, and brought no other forward.
    isBusy: puts.length > 0 || (await hasFactsSince(unit, places, until)),
    puts,
    activityIn: (applicationId, ms) =>
      activityBetween(minutes.get(applicationId) ?? [], until - ms, until),
    completedAt,
  }
}

/** These puts, while the applications whose rows they are are still active: a purge leaves nothing of them. */
function ofActive({ applications: active }: Organization, puts: readonly Put[]): Parts {
  const written = new Set(
    puts.map(({ row }) => (row as { readonly applicationId: string | null }).applicationId),
  )
  const owners = active.filter(({ row }) => written.has(row.applicationId))
  return { puts, checks: owners.map((each) => unchanged(applications, each)) }
}

/** Ms. An organization at rest is looked at again when its next application falls silent. */
function nextJudgement(
  now: number,
  isBusy: boolean,
  hasRules: boolean,
  healths: readonly JudgedHealth[],
): number {
  if (isBusy) return judgedAt(now - settleMs)
  const unsettled = healths.some(
    ({ health: { candidate, lastSessionAt } }) =>
      candidate !== null ||
      (lastSessionAt !== null && now - lastSessionAt < healthWindowMs + settleMs),
  )
  if (hasRules || unsettled) return now + everyMs
  const silences = healths.flatMap(({ health: { lastSessionAt } }) =>
    lastSessionAt === null ? [] : [lastSessionAt + silentMs],
  )
  const next = Math.min(now + dayMs, ...silences.filter((at) => at > now))
  return Math.max(now + everyMs, next)
}
