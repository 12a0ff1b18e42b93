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
