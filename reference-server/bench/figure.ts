import type { Stage } from './stage.ts'

/** What a row should reach: `least` for the higher the better, `most` for the lower. */
export interface Target {
  readonly is: 'least' | 'most'
  readonly reach: number
  readonly aim: number
}

/** One figure as it was measured; `median` is null with the `reason` when it could not be. */
export interface Row {
  readonly figure: string
  readonly median: number | null
  /** Lowest and highest of the rounds. */
  readonly spread: readonly [number, number] | null
  readonly target: Target | null
  /** What was done on both sides, protocol included. */
  readonly how: string
  readonly reason?: string
  /** Medians behind the ratio, by name with the unit in it. */
  readonly detail?: Readonly<Record<string, number>>
}

/** How much is measured. */
export interface Scale {
  readonly quick: boolean
  readonly rounds: number
  /** Deliveries, requests or the like in a round. */
  readonly events: number
  readonly backlog: number
  readonly queued: number
}

export interface Bench {
  readonly stage: Stage
  readonly scale: Scale
  say(line: string): void
}

/** Measures some figures; what it throws makes them null. */
export interface Measure {
  readonly figures: readonly string[]
  run(bench: Bench): Promise<readonly Row[]>
}

type Round = Readonly<Record<string, number>>

/** A row from rounds: the median and spread of one member, the medians of the others as its detail. */
export function rowOf(
  about: Pick<Row, 'figure' | 'target' | 'how'>,
  rounds: readonly (Round & { readonly figure: number })[],
): Row {
  const values = rounds.map(({ figure }) => figure)
  const names = Object.keys(rounds[0] ?? {}).filter((name) => name !== 'figure')
  const detail = names.map((name) => [name, rounded(median(rounds.map((one) => one[name] ?? 0)))])
  return {
    ...about,
    median: rounded(median(values)),
    spread: [rounded(Math.min(...values)), rounded(Math.max(...values))],
    ...(names.length > 0 && { detail: Object.fromEntries(detail) }),
  }
}

export function missing(about: Pick<Row, 'figure' | 'target' | 'how'>, reason: string): Row {
  return { ...about, median: null, spread: null, reason }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}

export async function inTurn<T>(count: number, run: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let round = 0; round < count; round++) results.push(await run(round))
  return results
}

/** Runs `count` calls, so many at once; answers how many a second. */
export async function rateOf(
  count: number,
  atOnce: number,
  call: (at: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const start = performance.now()
  const lane = async () => {
    while (next < count) await call(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return perSecond(count, start)
}

export function perSecond(count: number, start: number): number {
  return (count / (performance.now() - start)) * 1_000
}
