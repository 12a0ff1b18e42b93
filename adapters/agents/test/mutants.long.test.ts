import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  agentCases,
  type Entry,
  mutants,
  openWorld,
  type World,
} from '@countersign/reference-server/reviewed'
import { Command } from '@langchain/langgraph'
import { resumeOf } from '../langchain.ts'
import { langgraphBy } from './entries/langchain.ts'
import type { SavedDisk } from './entries/play.ts'
import { entries, newDisk } from './entries.ts'

type Case = keyof ReturnType<typeof agentCases>

/** The case that each mutant fails, on every entry. */
const killers: Readonly<Record<string, Case>> = {
  'no claim': 'does not run again what a crash interrupted after the approval',
  'checkpoint from arguments': 'runs nothing for arguments that were changed after the approval',
  'comment as approval': 'tells the model what a reviewer wrote',
}

const bareResume = langgraphBy(async (...given) => {
  const command = await resumeOf(...given)
  const [bare] = Object.values((command?.resume ?? {}) as Record<string, object>)
  return bare ? new Command<unknown, Record<string, never>, never>({ resume: bare }) : null
})

describe('mutants, with the real packages and the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  /** Whether an entry fails a case by what it paid or told. */
  const fails = (entry: Entry<SavedDisk>, title: Case) =>
    assert.rejects(
      async () => agentCases(() => world, entry, newDisk)[title]?.(),
      assert.AssertionError,
    )

  it('have a case each that they fail', () => {
    assert.deepEqual(Object.keys(killers).sort(), Object.keys(mutants).sort())
  })

  for (const [mutant, mutate] of Object.entries(mutants))
    describe(mutant, { concurrency: true }, () => {
      const title = killers[mutant] ?? ''
      // By content, the arguments are the checkpoint.
      const isContent = mutant === 'checkpoint from arguments'
      for (const [name, entry] of Object.entries(entries).filter(
        ([, { byContent }]) => !(isContent && byContent),
      ))
        it(`is killed on ${name}`, () =>
          fails(
            { ...entry, run: (play) => entry.run({ ...play, reviews: mutate(play.reviews) }) },
            title,
          ))
    })

  it('a bare resume is killed', () =>
    fails({ run: bareResume }, 'asks for all calls of a step at once, each for itself'))
})
