import type { Plan, Rate, Rates } from './plan.ts'
import type { Property } from './properties.ts'
import { type RunOptions, type RunResult, run } from './run.ts'

/** What of a plan is left: positions in its lists, the rates that stay, the storage points that crash. */
export interface Kept {
  readonly commands: readonly number[]
  readonly disturbances: readonly number[]
  readonly rates: readonly Rate[]
  readonly crashAt: readonly number[]
}

export function everything(plan: Plan): Kept {
  return {
    commands: plan.commands.map((_, at) => at),
    disturbances: plan.disturbances.map((_, at) => at),
    rates: (Object.keys(plan.rates) as Rate[]).filter((rate) => plan.rates[rate] > 0),
    crashAt: plan.crashAt,
  }
}

export function restrict(plan: Plan, kept: Kept): Plan {
  const rates = { ...plan.rates } as Record<Rate, number>
  for (const rate of Object.keys(rates) as Rate[]) if (!kept.rates.includes(rate)) rates[rate] = 0
  return {
    ...plan,
    commands: plan.commands.filter((_, at) => kept.commands.includes(at)),
    disturbances: plan.disturbances.filter((_, at) => kept.disturbances.includes(at)),
    rates: rates satisfies Rates,
    crashAt: kept.crashAt,
  }
}

type Part = keyof Kept

/** Takes away whatever is not needed for the same property to break; gives up after so many runs. */
export async function shrink(
  plan: Plan,
  property: Property,
  options: RunOptions = {},
  mostRuns = 400,
): Promise<{ readonly kept: Kept; readonly result: RunResult }> {
  let kept = everything(plan)
  let runs = 0

  async function breaks(candidate: Kept): Promise<boolean> {
    runs++
    const { violations } = await run(restrict(plan, candidate), options)
    return violations.some((one) => one.property === property)
  }

  /** Tries without pieces of one list, from halves down to single entries. */
  async function thin(part: Part): Promise<boolean> {
    let thinner = false
    for (
      let size = Math.ceil(kept[part].length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    )
      for (let from = 0; from < kept[part].length && runs < mostRuns; ) {
        const left = [...kept[part].slice(0, from), ...kept[part].slice(from + size)]
        const candidate = { ...kept, [part]: left } as Kept
        if (await breaks(candidate)) {
          kept = candidate
          thinner = true
        } else from += size
      }
    return thinner
  }

  for (let again = true; again && runs < mostRuns; ) {
    again = false
    for (const part of ['disturbances', 'rates', 'crashAt', 'commands'] as const)
      again = (await thin(part)) || again
  }
  const result = await run(restrict(plan, kept), { ...options, keepLog: true })
  return { kept, result }
}
