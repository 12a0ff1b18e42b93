import type { Right } from './callers/authorize.ts'
import type { PlanFeature } from './callers/plans.ts'
import type { CallerKind, Callers } from './callers.ts'
import type { FieldError, RefusalCode } from './ledger/refusal.ts'
import type { Members, RowsOf } from './shape.ts'
import type { Lookup } from './unit.ts'

/**
 * What is declared of an operation; the facade, authorization, its HTTP row, documents and clients follow from it.
 * `Kind`: its callers. `Code`: what it refuses with by itself.
 */
export interface Declared<
  Name extends string,
  Takes extends Members,
  Code extends RefusalCode,
  Kind extends CallerKind,
> {
  /** `<group>.<act>`: of the facade, of the HTTP description and of the clients. */
  readonly name: Name
  /** One line for the reader of an API. */
  readonly doc: string
  /** Who calls it: members unless it says otherwise. */
  readonly by?: Kind | readonly Kind[]
  /** Null: whoever is a caller of its kind may. */
  readonly right: Right | null
  /** What the organization's plan must include, asked for with the right, and at the commit. */
  readonly feature?: PlanFeature
  readonly takes: Takes
  /** Faults that lie between members; asked for an input whose members hold each by itself. */
  also?(input: NoInfer<RowsOf<Takes>>): readonly FieldError[]
  /** The organization whose rows are read and written, where callers belong to none, such as staff; else those of all. */
  of?(input: NoInfer<RowsOf<Takes>>): string
  /** The codes that it may refuse with, beside those that follow from the other members. */
  readonly refuses: readonly Code[]
}

/** What an operation may do that changes nothing. */
export type LookupOf<Kind extends CallerKind, Code extends RefusalCode, Tools> = Lookup<
  Callers[Kind],
  Code,
  Tools
>
