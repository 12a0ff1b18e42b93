import { alertRules, applications, legalHolds } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import type { AlertChecks } from '../check/alerts.ts'
import { removeRule } from './alert-acts.ts'
import { requeuePurges } from './application-acts.ts'
import { releaseHold } from './session-acts.ts'
import type { Stage } from './stage.ts'

const minute = 60_000
/** Sessions complete 30 minutes after their last span; then the last of them is judged. */
const quietAfterMs = 45 * minute
/** Longer than from one judgement to the next. */
const sampleMs = 70_000
const samples = 5
/** A purge that a hold kept from beginning looks again every hour. */
const holdCheckMs = 65 * minute

/**
 * Once no more faults happen: alerts are compared with what they tell of, then their rules go, since they would be judged
 * every minute for ever; and what keeps a purge from its end is taken away. Does nothing where there is none of it.
 */
export async function endOrganizations(stage: Stage, alerts: AlertChecks): Promise<void> {
  const { truth, world } = stage
  const draw = seededRandom(world.plan.seed)
  if (truth.rows(alertRules).size > 0) {
    await stage.client.wait(quietAfterMs)
    for (let sample = 0; sample < samples; sample++) {
      alerts.sample(truth)
      await stage.client.wait(sampleMs)
    }
    alerts.judge(truth)
    for (const { row } of [...truth.rows(alertRules).values()])
      await removeRule(stage, row.alertRuleId, draw)
  }
  for (let round = 0; round < 4 && isDeleting(stage); round++) {
    await releaseKeeping(stage, draw)
    await requeuePurges(stage, draw)
    await stage.client.wait(holdCheckMs)
  }
}

function isDeleting({ truth }: Stage): boolean {
  return [...truth.rows(applications).values()].some(({ row: { lifecycleState } }) =>
    ['pending_deletion', 'purging'].includes(lifecycleState),
  )
}

async function releaseKeeping(stage: Stage, draw: SeededRandom): Promise<void> {
  for (const { row } of [...stage.truth.rows(legalHolds).values()])
    if (row.active === 1) await releaseHold(stage, row.holdId, draw)
}
