import {
  type FactType,
  type ObservedEvents,
  observedEvents,
  type Told,
} from '@countersign/core/ports'

type EventName = keyof ObservedEvents

export const eventNames = Object.keys(observedEvents) as readonly EventName[]

/** Facts that are no codes hold it: no metric may repeat them. */
export const canary = 'canary'

export function factsOf(name: EventName): readonly (readonly [string, FactType])[] {
  return Object.entries(observedEvents[name].facts)
}

/** An event with facts as they are declared: the first code of each set, or the code that is asked for. */
export function sampleOf(
  name: EventName,
  pick: (codes: readonly (string | null)[]) => string | null = (codes) => codes[0] ?? null,
): Told<ObservedEvents> {
  const facts = factsOf(name).map(([fact, type]) => {
    if (typeof type !== 'string') return [fact, pick(type)]
    return [fact, type === 'ms' || type.startsWith('count') ? 7 : canary]
  })
  return [name, Object.fromEntries(facts)] as unknown as Told<ObservedEvents>
}
