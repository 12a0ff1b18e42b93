import type { ObservedEvents } from './observed-events.ts'

/** The name and the facts of one of these events; checking the name narrows the type of the facts. */
export type Told<Events> = {
  [Name in keyof Events & string]: [name: Name, facts: Events[Name]]
}[keyof Events & string]

/** What operators and tests may watch; `Events` holds the facts of each event by its name. */
export interface Observer<Events = ObservedEvents> {
  event(...told: Told<Events>): void
}

/** An observer that tells nobody. */
export const silentObserver: Observer = { event: () => {} }
