import type { Actor } from '../access/actor.ts'
import type { Versioned } from '../ports/store.ts'
import { type Changes, changesOf } from './changes.ts'
import type { Moved } from './command.ts'
import { contextOf } from './context.ts'
import { decide } from './machine.ts'
import type { ReviewHost } from './ports.ts'
import type { ReviewCase } from './records.ts'
import type { Scene } from './scene.ts'

const system: Actor = { kind: 'system' }

/** The step that time alone asks for (rows 8 and 9) with all that it entails; null when none has come. */
export function timeStep(
  host: ReviewHost,
  scene: Scene,
  was: Versioned<ReviewCase>,
): { readonly moved: Moved; readonly changes: Changes } | null {
  const decided = decide(was.row, { type: 'deadline' }, contextOf(system, scene))
  if (decided.kind !== 'moved') return null
  return { moved: decided, changes: changesOf(host, scene, was, decided, system) }
}
