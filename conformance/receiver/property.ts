import fc from 'fast-check'
import { ConformanceError } from '../assert.ts'
import { createSession, OutOfTime, type Session } from './session.ts'
import type { Need, Target } from './target.ts'
import { type FamilyCounts, families, familiesOf, noFamilies, typeAt } from './types.ts'
import type { Wire } from './wire.ts'

/**
 * `required`: without it an effect is lost, doubled or forged. `hardening`: what a sender of good faith never sends,
 * or what costs the receiver alone; often the business of a library that its user can't mend.
 */
export type Level = 'required' | 'hardening'

/** One promise of a receiver. */
export interface Property {
  /** `group.name`. */
  readonly name: string
  readonly level: Level
  readonly promise: string
  /** What to do when it fails. */
  readonly advice: string
  readonly needs: readonly Need[]
  /** Runs with nothing beside it, for it changes the receiver's surroundings or measures it. */
  readonly alone: boolean
  /** Takes seconds by its nature, and is left out of a quick run. */
  readonly slow: boolean
  /** Runs before the others, where the receiver has no long queue of work. */
  readonly early: boolean
  /** Whether its events are of every family, not of review cases alone. */
  readonly everyFamily: boolean
  /** Of the time of a run, as a multiple of what a property with few histories gets. */
  readonly share: number
  check(target: Target, replay: Replay): Promise<Checked>
}

export interface Replay {
  /** Of the run; what a property draws depends on it and on the property's name alone. */
  readonly seed: number
  /** Of a counterexample; with it, that one alone is tried (and shrunk on). */
  readonly path?: string | undefined
  /** Histories of a property of ordinary weight. */
  readonly runs: number
  /** Of a list of cases, this many are tried, spread over it by the seed; all unless given or `quick`. */
  readonly mostCases?: number | undefined
  /** Of each list `quickCases` are tried, and nothing is drawn more often than `runs`. */
  readonly quick?: boolean | undefined
  /** Ms after which a counterexample is not shrunk any further; a quarter of it once the property's time is over. */
  readonly shrinkMs: number
  /** The time of `performance.now()` from which on no history begins. */
  readonly until: number
  /** The histories that were played before, when there was no time for more of them; none unless given. */
  readonly skip?: number | undefined
  /** Told of each history before it is played. */
  readonly onHistory?: ((history: unknown) => void) | undefined
}

export interface Checked {
  readonly histories: number
  /** Messages that were signed for them, by the family of their events. */
  readonly families: FamilyCounts
  /** Histories that there was no time for. */
  readonly leftOut: number
  /** Those of them that are cases of the list. */
  readonly casesLeftOut: number
  readonly failure: Failure | null
}

/** A failure found, with its shortest transcript. */
export interface Failure {
  readonly found: string
  /** The shortest history that shows it, a line a step. */
  readonly transcript: readonly string[]
  /** What was sent and what came back, the deliveries of the transcript in their order; not those of a flood. */
  readonly exchanges: readonly Wire[]
  readonly deliveries: number
  readonly shrinks: number
  readonly seed: number
  /** Null when there is nothing to replay. */
  readonly path: string | null
  /**
   * Whether the same history failed again with nothing beside it; `no time` where the run was over before that was
   * seen, null where it was not tried.
   */
  readonly cameAgain: boolean | 'no time' | null
}

type Found = Pick<Failure, 'found' | 'transcript' | 'exchanges' | 'deliveries'>

export interface Definition<T> {
  readonly name: string
  /** `required` unless given. */
  readonly level?: Level
  readonly promise: string
  readonly advice: string
  readonly needs?: readonly Need[]
  readonly alone?: boolean
  readonly slow?: boolean
  readonly early?: boolean
  /**
   * Its events are made by `Session.event`, which then takes all families in turn, from a type on that is drawn;
   * `each case`: every case of its list is played once from each family on.
   */
  readonly everyFamily?: boolean | 'each case'
  /** Of the time of a run; by the number of its histories unless given. */
  readonly share?: number
  /** Drawn histories, as a multiple of what is usual (1), or exactly `{ times }` where one is costly. */
  readonly weight?: number | { readonly times: number }
  /** Cases that are tried one by one, before what is drawn: a finite list is never left to chance. */
  readonly each?: readonly T[] | ((target: Target) => readonly T[])
  /** How many of the cases a quick run takes, from the front; some spread over the list unless given. */
  readonly quickCases?: number | 'all'
  readonly histories?: fc.Arbitrary<T>
  play(session: Session, history: T): Promise<void>
  /** Whatever came of the history, puts back what it changed about the receiver. */
  restore?(target: Target): Promise<void>
}

const leastPatienceMs = 250
const patienceFactor = 5
/** Histories of ordinary length for one share of a run's time. */
const historiesAShare = 16
const leastShare = 0.75
const usualRuns = 20
/** Cases that a quick run takes of a list, unless its property tells another number. */
const quickMost = 8

export function property<T>(definition: Definition<T>): Property {
  const { name, promise, advice, needs = [] } = definition
  const { alone = false, slow = false, early = false } = definition
  const everyFamily = definition.everyFamily !== undefined && definition.everyFamily !== false
  return {
    name,
    share: definition.share ?? shareOf(definition),
    level: definition.level ?? 'required',
    promise,
    advice,
    needs,
    alone,
    slow,
    early,
    everyFamily,
    async check(target, replay) {
      const { path, shrinkMs, until, skip = 0, onHistory } = replay
      const { types } = target
      const seed = seedOf(name, replay.seed)
      const { cases, histories, drawn } = planOf(definition, target, { ...replay, seed })
      let found: Found | null = null
      let shrinkEnd = 0
      let gone = false
      let broken: unknown
      let at = 0
      let played = 0
      let leftOut = 0
      let casesLeftOut = 0
      const families = noFamilies()
      const leaveOut = () => {
        leftOut += 1
        if (at <= cases.length) casesLeftOut += 1
      }
      // Patient until something failed; then each candidate would cost the whole wait.
      const patienceMs = () =>
        found === null
          ? target.settleMs
          : Math.min(
              target.settleMs,
              Math.max(leastPatienceMs, target.tally.slowestSettle * patienceFactor),
            )

      async function play([history, start]: readonly [T, number]): Promise<void> {
        if (broken !== undefined || gone) return
        at += 1
        if (found === null && at <= skip) return
        if (found === null && performance.now() > until) {
          leaveOut()
          return
        }
        if (found !== null && performance.now() > shrinkEnd) return
        if (found === null)
          onHistory?.(everyFamily ? { ...history, from: typeAt(types, start) } : history)
        const session = createSession(target, {
          ...{ patienceMs, isExtended: () => found === null, until, families },
          start: everyFamily ? start : null,
        })
        try {
          await definition.play(session, history)
          if (found === null) played += 1
        } catch (error) {
          if (error instanceof OutOfTime) {
            leaveOut()
            return
          }
          if (!(error instanceof ConformanceError)) {
            broken = error
            throw error
          }
          if (found === null) {
            played += 1
            const failedAt = performance.now()
            const least = failedAt + shrinkMs / 4
            shrinkEnd = Math.min(failedAt + shrinkMs, Math.max(least, until))
          }
          // Shrunk any further, a history that kills the receiver would end as one that finds it dead.
          gone = !(await target.alive())
          if (gone) {
            target.tally.goneIn ??= name
            session.tell('from here on the receiver answers nothing')
          }
          found = {
            found: error.message,
            transcript: [...session.transcript()],
            exchanges: [...session.exchanges()],
            deliveries: session.deliveries(),
          }
          throw error
        } finally {
          if (broken === undefined && !gone) await definition.restore?.(target)
        }
      }

      const starts = everyFamily ? fc.nat(types.length - 1) : fc.constant(0)
      const details = await fc.check(fc.asyncProperty(fc.tuple(histories, starts), play), {
        seed,
        examples: cases.map((one): [readonly [T, number]] => [one]),
        numRuns: path === undefined ? cases.length + drawn : 1,
        ...(path !== undefined && { path }),
      })
      if (broken !== undefined) throw broken
      if (!details.failed)
        return { histories: played, families, leftOut, casesLeftOut, failure: null }
      if (found === null) throw details.errorInstance
      const { numShrinks: shrinks, counterexamplePath } = details
      return {
        histories: played,
        families,
        leftOut,
        casesLeftOut,
        failure: {
          ...(found as Found),
          shrinks,
          seed: replay.seed,
          path: counterexamplePath,
          cameAgain: null,
        },
      }
    },
  }
}

/** Of what a property draws: the same in every run with this seed, another for each property. */
function seedOf(name: string, seed: number): number {
  let mixed = seed
  for (const character of name)
    mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x0100_0193)
  return mixed | 0
}

function shareOf<T>({ each, everyFamily, histories, weight = 1 }: Definition<T>): number {
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
  { everyFamily = false }: Pick<Definition<T>, 'everyFamily'>,
  { types }: Target,
  seed: number,
): readonly (readonly [T, number])[] {
  if (everyFamily === false) return list.map((one) => [one, 0])
  if (everyFamily === 'each case')
    return list.flatMap((one) => familiesOf(types).map((_, at): [T, number] => [one, at]))
  // Moved on after each turn of the families, so that no part of a list that alternates has some of them alone.
  return list.map((one, at) => {
    const place = at + Math.floor(at / families.length) + Math.abs(seed)
    return [one, place % types.length]
  })
}

function planOf<T>(
  definition: Definition<T>,
  target: Target,
  { seed, runs, mostCases, quick = false }: Pick<Replay, 'seed' | 'runs' | 'mostCases' | 'quick'>,
): { cases: readonly (readonly [T, number])[]; histories: fc.Arbitrary<T>; drawn: number } {
  const { each = [], quickCases, histories, weight = 1 } = definition
  const all = placed(typeof each === 'function' ? each(target) : each, definition, target, seed)
  const listed = quick && typeof quickCases === 'number' ? all.slice(0, quickCases) : all
  const most = mostCases ?? (quick && quickCases === undefined ? quickMost : undefined)
  const cases = most === undefined ? listed : spread(listed, most, seed)
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
