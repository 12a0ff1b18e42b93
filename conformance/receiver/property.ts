import fc from 'fast-check'
import { ConformanceError } from '../assert.ts'
import { createSession, OutOfTime, type Session } from './session.ts'
import type { Need, Target } from './target.ts'
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
  check(target: Target, replay: Replay): Promise<Checked>
}

export interface Replay {
  readonly seed: number
  /** Of a counterexample; with it, that one alone is tried (and shrunk on). */
  readonly path?: string | undefined
  /** Histories of a property of ordinary weight. */
  readonly runs: number
  /** Of a list of cases, this many are tried, spread over it by the seed; all unless given. */
  readonly mostCases?: number | undefined
  /** Ms after which a counterexample is not shrunk any further. */
  readonly shrinkMs: number
  /** The time of `performance.now()` from which on no history begins. */
  readonly until: number
}

export interface Checked {
  readonly histories: number
  /** Histories that there was no time for. */
  readonly leftOut: number
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
  /** Whether the same history failed again with nothing beside it; null where that was not tried. */
  readonly cameAgain: boolean | null
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
  /** Drawn histories, as a multiple of what is usual (1), or exactly `{ times }` where one is costly. */
  readonly weight?: number | { readonly times: number }
  /** Cases that are tried one by one, before what is drawn: a finite list is never left to chance. */
  readonly each?: readonly T[] | ((target: Target) => readonly T[])
  /** How many of the cases a quick run takes, from the front; spread over the list unless given. */
  readonly quickCases?: number
  readonly histories?: fc.Arbitrary<T>
  play(session: Session, history: T): Promise<void>
  /** Whatever came of the history, puts back what it changed about the receiver. */
  restore?(target: Target): Promise<void>
}

const leastPatienceMs = 250
const patienceFactor = 5

export function property<T>(definition: Definition<T>): Property {
  const { name, promise, advice, needs = [] } = definition
  const { alone = false, slow = false, early = false } = definition
  return {
    name,
    level: definition.level ?? 'required',
    promise,
    advice,
    needs,
    alone,
    slow,
    early,
    async check(target, { seed, path, runs, mostCases, shrinkMs, until }) {
      let found: Found | null = null
      let failedAt = 0
      let gone = false
      let broken: unknown
      let played = 0
      let leftOut = 0
      // Patient until something failed; then each candidate would cost the whole wait.
      const patienceMs = () =>
        found === null
          ? target.settleMs
          : Math.min(
              target.settleMs,
              Math.max(leastPatienceMs, target.tally.slowestSettle * patienceFactor),
            )

      async function play(history: T): Promise<void> {
        if (broken !== undefined || gone) return
        if (found === null && performance.now() > until) {
          leftOut += 1
          return
        }
        if (found !== null && performance.now() - failedAt > shrinkMs) return
        const session = createSession(target, patienceMs, () => found === null, until)
        try {
          await definition.play(session, history)
          if (found === null) played += 1
        } catch (error) {
          if (error instanceof OutOfTime) {
            leftOut += 1
            return
          }
          if (!(error instanceof ConformanceError)) {
            broken = error
            throw error
          }
          if (found === null) {
            played += 1
            failedAt = performance.now()
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

      const { cases, histories, drawn } = planOf(definition, target, { seed, runs, mostCases })
      const details = await fc.check(fc.asyncProperty(histories, play), {
        seed,
        examples: cases.map((one): [T] => [one]),
        numRuns: path === undefined ? cases.length + drawn : 1,
        ...(path !== undefined && { path }),
      })
      if (broken !== undefined) throw broken
      if (!details.failed) return { histories: played, leftOut, failure: null }
      if (found === null) throw details.errorInstance
      const { numShrinks: shrinks, counterexamplePath } = details
      return {
        histories: played,
        leftOut,
        failure: {
          ...(found as Found),
          shrinks,
          seed,
          path: counterexamplePath,
          cameAgain: null,
        },
      }
    },
  }
}

function planOf<T>(
  { each = [], quickCases, histories, weight = 1 }: Definition<T>,
  target: Target,
  { seed, runs, mostCases }: Pick<Replay, 'seed' | 'runs' | 'mostCases'>,
): { cases: readonly T[]; histories: fc.Arbitrary<T>; drawn: number } {
  const all = typeof each === 'function' ? each(target) : each
  const cases = mostCases === undefined ? all : some(all, { mostCases, quickCases, seed })
  if (histories === undefined) return { cases, histories: fc.constantFrom(...cases), drawn: 0 }
  const drawn = typeof weight === 'number' ? Math.max(1, Math.round(runs * weight)) : weight.times
  const most = mostCases === undefined ? drawn : Math.min(drawn, Math.max(1, runs))
  return { cases, histories, drawn: most }
}

interface Some {
  readonly mostCases: number
  readonly quickCases: number | undefined
  readonly seed: number
}

/** The first of a list, or every nth from a start that the seed chooses: runs with many seeds see all of it. */
function some<T>(list: readonly T[], { mostCases, quickCases, seed }: Some): readonly T[] {
  if (quickCases !== undefined) return list.slice(0, quickCases)
  const step = Math.ceil(list.length / mostCases)
  if (step <= 1) return list
  return list.filter((_, at) => (at + Math.abs(seed)) % step === 0)
}
