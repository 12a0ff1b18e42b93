import fc from 'fast-check'
import type { Definition, Replay } from './definition.ts'
import type { Target } from './target.ts'
import { families, familiesOf } from './types.ts'

/** Histories of ordinary length for one share of a run's time. */
const historiesAShare = 16
const leastShare = 0.75
const usualRuns = 20
/** Cases that a quick run takes of a list, unless its property tells another number. */
const quickMost = 8

/** Of the time of a run, by the number of a property's histories. */
export function shareOf<T>({ each, everyFamily, histories, weight = 1 }: Definition<T>): number {
  const times = everyFamily === 'each case' ? families.length : 1
  const listed = (typeof each === 'function' ? 1 : (each?.length ?? 0)) * times
  const drawn = histories === undefined ? 0 : drawnOf(weight, usualRuns)
  return Math.max(leastShare, (listed + drawn) / historiesAShare)
}

const drawnOf = (weight: number | { readonly times: number }, runs: number): number =>
  typeof weight === 'number' ? Math.max(1, Math.round(runs * weight)) : weight.times

/** The cases of a list, each with the place among the types at which its events begin. */
function placed<T>(
  list: readonly T[],
  {
    everyFamily = false,
    isInTurn = false,
  }: Pick<Definition<T>, 'everyFamily'> & { isInTurn?: boolean },
  { types }: Target,
  seed: number,
): readonly (readonly [T, number])[] {
  if (everyFamily === false) return list.map((one) => [one, 0])
  if (everyFamily === 'each case' && !isInTurn)
    return list.flatMap((one) => familiesOf(types).map((_, at): [T, number] => [one, at]))
  // Moved on after each turn of the families, so that no part of a list that alternates has some of them alone.
  return list.map((one, at) => {
    const place = at + Math.floor(at / families.length) + Math.abs(seed)
    return [one, place % types.length]
  })
}

/** What a property plays: its cases, each with the place among the types at which its events begin, and what it draws. */
export function planOf<T>(
  definition: Definition<T>,
  target: Target,
  { seed, runs, mostCases, quick = false }: Pick<Replay, 'seed' | 'runs' | 'mostCases' | 'quick'>,
): { cases: readonly (readonly [T, number])[]; histories: fc.Arbitrary<T>; drawn: number } {
  const { each = [], quickCases, histories, weight = 1 } = definition
  const all = typeof each === 'function' ? each(target) : each
  const listed = quick && typeof quickCases === 'number' ? all.slice(0, quickCases) : all
  const most = mostCases ?? (quick && quickCases === undefined ? quickMost : undefined)
  const chosen = most === undefined ? listed : spread(listed, most, seed)
  // Of a few cases each family gets its share in turn.
  const isInTurn = most !== undefined && chosen.length * families.length > most
  const cases = placed(chosen, { ...definition, isInTurn }, target, seed)
  if (histories === undefined) {
    const listed = cases.map(([one]) => one)
    return { cases, histories: fc.constantFrom(...listed), drawn: 0 }
  }
  const drawn = drawnOf(weight, runs)
  return { cases, histories, drawn: quick ? Math.min(drawn, Math.max(1, runs)) : drawn }
}

/**
 * One of each stretch of a list, which the seed chooses for each stretch anew: in a list of pairs a fixed step would
 * take the same half of all of them. Runs with many seeds see the whole list.
 */
function spread<T>(list: readonly T[], count: number, seed: number): readonly T[] {
  const length = Math.ceil(list.length / count)
  if (length <= 1) return list
  const placeIn = (stretch: number) => (Math.imul(seed ^ stretch, 0x9e37_79b1) >>> 8) % length
  return list.filter((_, at) => at % length === placeIn(Math.floor(at / length)))
}
