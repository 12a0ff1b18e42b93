import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { killedCases, openWorld, type World } from '@countersign/reference-server/reviewed'
import { savedDisk } from './entries/play.ts'
import { entries } from './entries.ts'

const program = fileURLToPath(new URL('agent-process.js', import.meta.url))

describe('agents that are killed', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  for (const [name, entry] of Object.entries(entries))
    describe(name, { concurrency: 3 }, () => {
      const cases = killedCases(() => world, { name, entry, diskIn: savedDisk, program })
      for (const [step, holds] of Object.entries(cases)) it(`at ${step}`, holds)
    })
})
