import type { Need } from './target.ts'
import type { World } from './world.ts'

/** One promise of the interface. */
export interface Check {
  /** `group.name`. */
  readonly name: string
  readonly promise: string
  /** Where the promise is made. */
  readonly source: string
  readonly needs: readonly Need[]
  /** Throws a ConformanceError that says what was expected and what came. */
  run(world: World): Promise<void>
}

/** Checks of one group. */
export function group(
  name: string,
  source: string,
  checks: readonly {
    readonly name: string
    readonly promise: string
    readonly needs?: readonly Need[]
    run(world: World): Promise<void>
  }[],
): readonly Check[] {
  return checks.map((check) => ({ needs: [], ...check, name: `${name}.${check.name}`, source }))
}
