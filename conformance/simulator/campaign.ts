import { drawOrganizationPlan, drawSmallOrganizationPlan } from './draw-organizations.ts'
import { drawPlan, drawSmallPlan } from './draw-plan.ts'
import { drawSessionPlan, drawSmallSessionPlan } from './draw-sessions.ts'
import type { Plan } from './plan.ts'
import { type Count, properties } from './properties.ts'
import { type RunOptions, type RunResult, run } from './run.ts'

/** What has been tried so far, and what came of it; `crashPoints` are crashes that took place at a storage point. */
export type Tally = Record<'crashPoints' | 'runs' | Count, number>

export const emptyTally = (): Tally => ({
  crashPoints: 0,
  runs: 0,
  lost: 0,
  doubleDecided: 0,
  stale: 0,
  stuck: 0,
  violations: 0,
})

export function add(total: Tally, more: Tally): void {
  for (const name of Object.keys(more) as (keyof Tally)[]) total[name] += more[name]
}

/**
 * `swarm`: one run with faults of every kind; `scenario`: one short plan, crashed at each of its storage points in turn.
 * Of cases and their events, of sessions besides, or of what happens to an organization: purges, alerts, keys, members.
 */
export interface Task {
  readonly of: 'cases' | 'sessions' | 'organizations'
  readonly kind: 'swarm' | 'scenario'
  readonly seed: number
}

export interface Failure {
  readonly task: Task
  /** The plan that failed, its random crashes written down. */
  readonly plan: Plan
  readonly result: RunResult
}

export function planOf({ of, kind, seed }: Task): Plan {
  const { swarm, scenario } = draws[of]
  return kind === 'swarm' ? swarm(seed) : scenario(seed)
}

type Draw = (seed: number) => Plan

const draws: Readonly<Record<Task['of'], { readonly swarm: Draw; readonly scenario: Draw }>> = {
  cases: { swarm: drawPlan, scenario: drawSmallPlan },
  sessions: { swarm: drawSessionPlan, scenario: drawSmallSessionPlan },
  organizations: { swarm: drawOrganizationPlan, scenario: drawSmallOrganizationPlan },
}

/** The plan that crashes where this run did, without chance. */
function written(plan: Plan, result: RunResult): Plan {
  return { ...plan, rates: { ...plan.rates, crash: 0 }, crashAt: result.crashes }
}

export async function perform(
  task: Task,
  options: RunOptions = {},
): Promise<{ readonly tally: Tally; readonly failures: readonly Failure[] }> {
  const tally = emptyTally()
  const failures: Failure[] = []

  async function attempt(plan: Plan): Promise<RunResult> {
    const result = await run(plan, options)
    tally.runs++
    tally.crashPoints += result.crashes.length
    for (const { property } of result.violations.slice(0, 1)) {
      tally[properties[property]]++
      failures.push({ task, plan: written(plan, result), result })
    }
    return result
  }

  const plan = planOf(task)
  const { points } = await attempt(plan)
  if (task.kind === 'scenario')
    for (let point = 1; point <= points && failures.length === 0; point++)
      await attempt({ ...plan, crashAt: [point] })
  return { tally, failures }
}
