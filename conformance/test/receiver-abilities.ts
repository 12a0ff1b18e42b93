import type { Probe } from '@countersign/conformance/receiver'

export const abilities = ['restart', 'setClock', 'setDelay', 'setStoreFailure'] as const
export type Ability = (typeof abilities)[number]

/** What a probe may tell besides what is stored. */
export const tellings = ['effects', 'heads'] as const
export type Telling = (typeof tellings)[number]

/** A probe that can do no more than these, and tells no more than it is let. */
export function limited(probe: Probe, can: readonly Ability[], tells: readonly Telling[]): Probe {
  return {
    async read(asked) {
      const { stored, effects, heads } = await probe.read(asked)
      return {
        stored,
        ...(tells.includes('effects') && { effects }),
        ...(tells.includes('heads') && { heads }),
      }
    },
    ...Object.fromEntries(can.map((name) => [name, probe[name]?.bind(probe)])),
  }
}

/** Every subset, the empty one first. */
export function subsetsOf<T>(list: readonly T[]): readonly (readonly T[])[] {
  const sets: (readonly T[])[] = [[]]
  for (const one of list) sets.push(...sets.map((set) => [...set, one]))
  return sets
}
