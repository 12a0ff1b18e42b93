import type { OutcomeFault } from './outcome-receiver.ts'

/** The classes of what an endpoint of outcomes may do wrong. */
export const outcomeFaultClasses = [
  'application',
  'decision',
  'types',
  'identity and copies',
  'resuming',
  'reviewers’ signatures',
] as const
/** A class of faults of endpoints of outcomes. */
export type OutcomeFaultClass = (typeof outcomeFaultClasses)[number]

/** A fault of an endpoint for outcomes, and the property that finds it. */
export interface BrokenOutcomeReceiver {
  readonly name: string
  readonly group: OutcomeFaultClass
  readonly killedBy: string
  readonly change: OutcomeFault
}

/** A maker of the faults of one class that one property finds. */
export const outcomeFaultOf =
  (group: OutcomeFaultClass, killedBy: string) =>
  (name: string, change: OutcomeFault): BrokenOutcomeReceiver => ({ name, group, killedBy, change })
