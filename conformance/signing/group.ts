import type { Primitives } from '@countersign/core/signing'

/** One group of the suite: registers its tests with `it`. */
export type Group = (
  it: (name: string, run: () => void) => void,
  given: {
    readonly primitives: Primitives
    /** Of each property. */
    readonly runs: number
  },
) => void

/** The error that a call throws, of that class; a call that returns fails the test. */
export function thrown<E extends Error>(
  type: new (...given: never[]) => E,
  run: () => unknown,
  what: string,
): E {
  let value: unknown
  try {
    value = run()
  } catch (error) {
    if (error instanceof type) return error
    throw new Error(`${what}: expected a ${type.name}, got ${String(error)}`, { cause: error })
  }
  throw new Error(`${what}: expected a ${type.name}, it returned ${typeof value}`)
}
