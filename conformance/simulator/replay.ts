import { planOf, type Task } from './campaign.ts'
import type { Plan, Rate } from './plan.ts'
import { everything, type Kept, restrict } from './shrink.ts'

/** What of a drawn plan is to be run, as flags of the command line; absent flags keep everything. */
export interface ReplayFlags {
  readonly seed: string
  readonly scenario?: boolean
  readonly sessions?: boolean
  readonly organizations?: boolean
  readonly commands?: string
  readonly disturbances?: string
  readonly rates?: string
  readonly crash?: string
}

const numbers = (text: string): readonly number[] =>
  text === '' || text === 'none' ? [] : text.split(',').map(Number)

export function replayed(flags: ReplayFlags): Plan {
  const task: Task = {
    of: flags.organizations ? 'organizations' : flags.sessions ? 'sessions' : 'cases',
    kind: flags.scenario ? 'scenario' : 'swarm',
    seed: Number(flags.seed),
  }
  const plan = planOf(task)
  const all = everything(plan)
  const { commands, disturbances, rates, crash } = flags
  const kept: Kept = {
    commands: commands === undefined ? all.commands : numbers(commands),
    disturbances: disturbances === undefined ? all.disturbances : numbers(disturbances),
    rates: rates === undefined ? all.rates : ((rates === 'none' ? [] : rates.split(',')) as Rate[]),
    crashAt: crash === undefined ? [] : numbers(crash),
  }
  const restricted = restrict(plan, kept)
  // Crashes that are named take the place of those by chance.
  return crash === undefined
    ? restricted
    : { ...restricted, rates: { ...restricted.rates, crash: 0 } }
}

export function replayCommand({ of, kind, seed }: Task, kept: Kept): string {
  const named = (flag: string, entries: readonly (string | number)[]) =>
    `--${flag} ${entries.length > 0 ? entries.join(',') : 'none'}`
  return [
    `npm run simulate -- --seed ${seed}`,
    ...(of === 'cases' ? [] : [`--${of}`]),
    ...(kind === 'scenario' ? ['--scenario'] : []),
    named('crash', kept.crashAt),
    named('commands', kept.commands),
    named('disturbances', kept.disturbances),
    named(
      'rates',
      kept.rates.filter((rate) => rate !== 'crash'),
    ),
  ].join(' ')
}
