import fc from 'fast-check'

const decisions = ['approved', 'rejected'] as const
/** What a reviewer decides. */
export type Decision = (typeof decisions)[number]

/** A decision, with or without a signature. */
export interface Deciding {
  readonly act: 'decide'
  readonly at: number
  readonly decision: Decision
  /** A signature of before, counted from the last; null: none. */
  readonly by: number | null
  /** Of the case that was signed, whatever `at` says. */
  readonly isOfIts: boolean
  readonly isDamaged: boolean
}

/** What a reviewer, an admin, a thief or time does next; numbers choose among what there is. */
export type Act =
  | { readonly act: 'enrol'; readonly who: number; readonly at: number }
  | { readonly act: 'lose'; readonly who: number; readonly at: number }
  | { readonly act: 'rule'; readonly mode: number; readonly at: number }
  | { readonly act: 'models'; readonly list: number; readonly at: number }
  | { readonly act: 'open'; readonly who: number; readonly isHigh: boolean }
  | { readonly act: 'sign'; readonly at: number; readonly key: number; readonly decision: Decision }
  | Deciding
  | { readonly act: 'wait'; readonly minutes: number }

const any = fc.nat(7)
const decision = fc.constantFrom(...decisions)
const times = <T extends string>(...acts: readonly T[]) => fc.constantFrom(...acts)

/** Histories of two reviewers, their authenticators and their cases. */
export const histories: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ act: times('enrol'), who: any, at: any }) },
    { weight: 1, arbitrary: fc.record({ act: times('lose'), who: any, at: any }) },
    { weight: 1, arbitrary: fc.record({ act: times('rule'), mode: fc.nat(2), at: any }) },
    { weight: 1, arbitrary: fc.record({ act: times('models'), list: fc.nat(2), at: any }) },
    { weight: 3, arbitrary: fc.record({ act: times('open'), who: any, isHigh: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ act: times('sign'), at: any, key: any, decision }) },
    {
      weight: 5,
      arbitrary: fc.record({
        ...{ act: times('decide'), at: any, decision },
        by: fc.option(fc.nat(2)),
        isOfIts: fc.boolean(),
        isDamaged: fc.nat(4).map((chance) => chance === 0),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ act: times('wait'), minutes: fc.integer({ min: 1, max: 6 }) }),
    },
  ),
  { minLength: 4, maxLength: 24, size: 'max' },
)

/** Root digests of models whose attestations the service believes. */
export const roots: ReadonlyMap<string, string> = new Map([
  ['2fc0579f-8113-47ea-b116-bb5a8db9202a', 'b'.repeat(64)],
  ['fa2b99dc-9e39-4257-8f92-4a30d23c4118', 'a'.repeat(64)],
])
/** What an organization lists: nothing, which is any model, one, or both. */
export const lists: readonly (readonly string[])[] = [
  [],
  [...roots.keys()].slice(0, 1),
  [...roots.keys()],
]

/** What the oracle knows of who must sign and by what; a wrong one leaves out one of them. */
export interface Oracle {
  readonly knows: (fact: Fact) => boolean
}
export const facts = [
  'the rule',
  'the tier',
  'who ever enrolled',
  'the age',
  'the case',
  'the decision',
  'the owner',
  'the revocation',
  'the count',
  'the time',
  'the bytes',
  'the models',
] as const
/** What a decision depends on. */
export type Fact = (typeof facts)[number]

/** The one that a number chooses; undefined of none. */
export function pick<T>(all: readonly T[], at: number): T | undefined {
  return all[at % Math.max(1, all.length)]
}
