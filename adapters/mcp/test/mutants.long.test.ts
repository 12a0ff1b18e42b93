import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  agentCases,
  memoryDisk,
  mutants,
  openWorld,
  type World,
} from '@countersign/reference-server/reviewed'
import { entries } from './entries.ts'

type Case = keyof ReturnType<typeof agentCases>

/**
 * The case that each mutant fails, on every entry; null of one that breaks nothing where calls are known by content.
 */
const killers: Readonly<Record<string, Case | null>> = {
  'no claim': 'does not run again what a crash interrupted after the approval',
  'checkpoint from arguments': null,
  'comment as approval': 'tells the model what a reviewer wrote',
}

describe('mutants of what MCP holds back, with the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  it('have a case each that they fail', () => {
    assert.deepEqual(Object.keys(killers).sort(), Object.keys(mutants).sort())
  })

  for (const [mutant, mutate] of Object.entries(mutants))
    describe(mutant, { concurrency: true }, () => {
      const title = killers[mutant]
      if (!title) return
      for (const [name, entry] of Object.entries(entries))
        it(`is killed on ${name}`, () => {
          const broken: typeof entry = {
            ...entry,
            run: (play) => entry.run({ ...play, reviews: mutate(play.reviews) }),
          }
          return assert.rejects(
            async () => agentCases(() => world, broken, memoryDisk)[title]?.(),
            assert.AssertionError,
          )
        })
    })
})
