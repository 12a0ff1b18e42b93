import fc from 'fast-check'
import { ConformanceError } from '../assert.ts'
import type { Definition, Level, Replay } from './definition.ts'
import { planOf, shareOf } from './plan.ts'
import { createSession, OutOfTime } from './session.ts'
import type { Need, Target } from './target.ts'
import { type FamilyCounts, noFamilies, typeAt } from './types.ts'
import type { Wire } from './wire.ts'

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

const leastPatienceMs = 250
const patienceFactor = 5

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
      /** The machine had no time: what follows comes when it goes on from here. */
      let ended = false
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
        if (found === null && (ended || performance.now() > until)) {
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
            ended = true
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
