import assert from 'node:assert/strict'
import fc from 'fast-check'
import { code, createWorld } from './world.ts'

/** A key is revealed three times at once, in so many schedules of the store: it is shown once, and is one key. */
export async function revealAtOnce(schedules: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const world = await createWorld()
      const { requests, ada } = world
      const id = await world.promised()
      world.interleave(scheduler)
      const answers = await scheduler.waitFor(
        Promise.all([
          requests.reveal(ada, { requestId: id }),
          requests.reveal(ada, { requestId: id }),
          requests.reveal(ada, { requestId: id }),
        ]),
      )
      assert.deepEqual(answers.map(code).sort(), ['ok', 'reveal_expired', 'reveal_expired'])
      assert.equal(world.keys().length, 1)
    }),
    { numRuns: schedules },
  )
}
