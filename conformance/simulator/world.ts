import type { SeededRandom } from '@countersign/core/testing'
import type { Plan } from './plan.ts'
import type { Property, Violation } from './properties.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Wall time at the start of every simulation. */
export const epoch: number = Date.UTC(2026, 0, 5, 8)

/**
 * `safety`: faults happen, nothing wrong may; `rest`: no more faults, everything must come to its end; `over`: what
 * there is gets read, past all storage points.
 */
export type Phase = 'safety' | 'rest' | 'over'

/** What the parts of one simulation share. */
export interface World {
  readonly plan: Plan
  readonly time: VirtualTime
  /** For faults and latencies; commands have their own. */
  readonly chance: SeededRandom
  phase: Phase
  /** Storage points passed so far. */
  points: number
  /** The points at which a process was crashed. */
  readonly crashes: number[]
  readonly violations: Violation[]
  /** One line of the transcript; a function where making the line costs something. */
  note(line: string | (() => string)): void
  broken(property: Property, detail: string): void
}

export function createWorld(
  plan: Plan,
  parts: {
    readonly time: VirtualTime
    readonly chance: SeededRandom
    readonly log: string[] | null
  },
): World {
  const { time, chance, log } = parts
  const violations: Violation[] = []
  const note = (line: string | (() => string)) => {
    log?.push(`${time.now()} ${typeof line === 'string' ? line : line()}`)
  }
  return {
    plan,
    time,
    chance,
    phase: 'safety',
    points: 0,
    crashes: [],
    violations,
    note,
    broken(property, detail) {
      note(`BROKEN ${property}: ${detail}`)
      violations.push({ property, detail, at: time.now() })
    },
  }
}
