import fc from 'fast-check'
import type { Body } from './messages.ts'

/** A choice among the receiver's keys, whatever their number. */
export const anyKey: fc.Arbitrary<number> = fc.nat(7)

/** Members that change nothing about an event's place. */
export const plainMembers: fc.Arbitrary<Body> = fc.record({
  reviewTier: fc.constantFrom('standard', 'high', 'urgent'),
  reasonCategory: fc.constantFrom('policy_requires_human_review', 'claimed', 'overdue', 'other'),
  presentationDigest: fc.option(fc.constant('0f'.repeat(32))),
})

/** A place in a case. */
export interface Place {
  readonly caseVersion: number
  readonly eventSequence: number
}

/** The positions of one case up to the highest given, each once, in the order in which they arrive. */
export function positions(
  most: Place & { readonly events: number },
): fc.Arbitrary<readonly Place[]> {
  return fc.uniqueArray(
    fc.record({
      caseVersion: fc.integer({ min: 1, max: most.caseVersion }),
      eventSequence: fc.integer({ min: 1, max: most.eventSequence }),
    }),
    {
      minLength: 1,
      maxLength: most.events,
      selector: ({ caseVersion, eventSequence }) => `${caseVersion}.${eventSequence}`,
    },
  )
}

export function compare(a: Place, b: Place): number {
  return a.caseVersion - b.caseVersion || a.eventSequence - b.eventSequence
}
