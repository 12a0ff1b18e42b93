import fc from 'fast-check'
import { ConformanceError } from '../assert.ts'
import { createSession, type Session } from './session.ts'
import type { Need, Target } from './target.ts'

/** One promise of a receiver. */
export interface Property {
  /** `group.name`. */
  readonly name: string
  readonly promise: string
  /** What to do when it fails. */
  readonly advice: string
  readonly needs: readonly Need[]
  /** Runs with nothing beside it, for it changes the receiver's surroundings or measures it. */
  readonly alone: boolean
  check(target: Target, replay: Replay): Promise<Checked>
}

export interface Replay {
  readonly seed: number
  /** Of a counterexample; with it, that one alone is tried (and shrunk on). */
  readonly path?: string | undefined
  /** Histories of a property of ordinary weight. */
  readonly runs: number
  /** Ms after which a counterexample is not shrunk any further. */
  readonly shrinkMs: number
}

export interface Checked {
  readonly histories: number
  readonly failure: Failure | null
}

export interface Failure {
  readonly found: string
  /** The shortest history that shows it, a line a step. */
  readonly transcript: readonly string[]
  readonly deliveries: number
  readonly shrinks: number
  readonly seed: number
  /** Null when there is nothing to replay. */
  readonly path: string | null
}

export interface Definition<T> {
  readonly name: string
  readonly promise: string
  readonly advice: string
  readonly needs?: readonly Need[]
  readonly alone?: boolean
  /** Histories, as a multiple of what is usual (1), or exactly `{ times }` where one is costly or there are few. */
  readonly weight?: number | { readonly times: number }
  readonly histories: fc.Arbitrary<T>
  play(session: Session, history: T): Promise<void>
  /** Whatever came of the history, puts back what it changed about the receiver. */
  restore?(target: Target): Promise<void>
}

const leastPatienceMs = 250
const patienceFactor = 5

export function property<T>(definition: Definition<T>): Property {
  const { name, promise, advice, needs = [], alone = false, weight = 1 } = definition
  return {
    name,
    promise,
    advice,
    needs,
    alone,
    async check(target, { seed, path, runs, shrinkMs }) {
      let failed: Omit<Failure, 'shrinks' | 'seed' | 'path'> | null = null
      let failedAt = 0
      let gone = false
      let broken: unknown
      // Patient until something failed; then each candidate would cost the whole wait.
      const patienceMs = () =>
        failed === null
          ? target.settleMs
          : Math.min(
              target.settleMs,
              Math.max(leastPatienceMs, target.tally.slowestSettle * patienceFactor),
            )

      const details = await fc.check(
        fc.asyncProperty(definition.histories, async (history) => {
          if (broken !== undefined) return
          if (gone || (failed !== null && performance.now() - failedAt > shrinkMs)) return
          const session = createSession(target, patienceMs)
          try {
            await definition.play(session, history)
          } catch (error) {
            if (!(error instanceof ConformanceError)) {
              broken = error
              throw error
            }
            if (failed === null) failedAt = performance.now()
            // Shrunk any further, a history that kills the receiver would end as one that finds it dead.
            gone = !(await target.alive())
            if (gone) {
              target.tally.goneIn ??= name
              session.tell('from here on the receiver answers nothing')
            }
            const [transcript, deliveries] = [[...session.transcript()], session.deliveries()]
            failed = { found: error.message, transcript, deliveries }
            throw error
          } finally {
            if (broken === undefined && !gone) await definition.restore?.(target)
          }
        }),
        {
          seed,
          numRuns:
            typeof weight === 'number' ? Math.max(1, Math.round(runs * weight)) : weight.times,
          ...(path !== undefined && { path }),
        },
      )
      if (broken !== undefined) throw broken
      if (!details.failed) return { histories: details.numRuns, failure: null }
      if (failed === null) throw details.errorInstance
      const { numRuns, numShrinks: shrinks, counterexamplePath } = details
      return {
        histories: numRuns,
        failure: {
          ...(failed as Omit<Failure, 'shrinks' | 'seed' | 'path'>),
          shrinks,
          seed,
          path: counterexamplePath,
        },
      }
    },
  }
}
