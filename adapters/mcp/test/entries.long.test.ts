import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  agentCases,
  killedCases,
  memoryDisk,
  openWorld,
  type World,
} from '@countersign/reference-server/reviewed'
import { entries } from './entries.ts'

const program = fileURLToPath(new URL('agent-process.js', import.meta.url))

describe('every way in by MCP, with the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  for (const [name, entry] of Object.entries(entries)) {
    describe(name, { concurrency: true }, () => {
      const cases = agentCases(() => world, entry, memoryDisk)
      for (const [title, holds] of Object.entries(cases)) it(title, holds)
    })

    describe(`${name}, killed`, { concurrency: 3 }, () => {
      const cases = killedCases(() => world, { name, entry, program })
      for (const [step, holds] of Object.entries(cases)) it(`at ${step}`, holds)
    })
  }
})
