import { seededRandom } from '@countersign/core/testing'
import { useKeys } from './key-acts.ts'
import { useSessions } from './member-acts.ts'
import type { Stage } from './stage.ts'

/** Whoever holds a key or a session tries it once more. */
export async function useCredentials(stage: Stage): Promise<void> {
  const draw = seededRandom(stage.world.plan.seed)
  await useKeys(stage, draw)
  await useSessions(stage, draw)
}
