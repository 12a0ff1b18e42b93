import type fc from 'fast-check'
import type { Session } from './session.ts'
import type { Need, Target } from './target.ts'

/**
 * `required`: without it an effect is lost, doubled or forged. `hardening`: what a sender of good faith never sends,
 * or what costs the receiver alone; often the business of a library that its user can't mend.
 */
export type Level = 'required' | 'hardening'

/** How a property is played. */
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

/** A property as it is written down. */
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
