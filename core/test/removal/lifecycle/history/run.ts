import { play } from './acts.ts'
import { checkContent, checkEnd, rest } from './checks.ts'
import type { Done, History } from './draw.ts'
import { type Faults, historyWorld } from './world.ts'

/** From one look at all content to the next, in acts. */
const everyActs = 6

/** What must not be and was, in one history; each thing once. */
export async function problemsOf(
  { seed, acts }: History,
  faults?: Faults,
): Promise<readonly string[]> {
  const w = await historyWorld(seed, faults)
  const done: Done = { sent: [], asked: [], count: 0 }
  for (const [at, act] of acts.entries()) {
    await play(w, done, act)
    if (at % everyActs === 0 && w.state.broken === null) await checkContent(w, done)
    if (w.problems.length > 0) return [...new Set(w.problems)]
  }
  await rest(w)
  await checkContent(w, done)
  checkEnd(w)
  return [...new Set(w.problems)]
}
