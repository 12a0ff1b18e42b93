import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { collections, logs } from '@countersign/core'
import { createMemoryStore } from '@countersign/core/testing'
import { openSqliteStore } from '@countersign/sqlite'
import fc from 'fast-check'
import { scratchDirectory } from './processes/scratch.ts'
import { type Fact, facts, histories, type Oracle } from './signed-acts.ts'
import { play } from './signed-histories.ts'

const right: Oracle = { knows: () => true }
const inMemory = (oracle: Oracle) =>
  fc.asyncProperty(histories, (history) =>
    play(createMemoryStore({ collections, logs }), history, oracle),
  )

describe('histories of authenticators and decisions', () => {
  it('have no decision but those that were signed where they had to be, in memory', () =>
    fc.assert(inMemory(right), { numRuns: 200 }))

  it('have no other ones in SQLite', async () => {
    const directory = scratchDirectory()
    let opened = 0
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const file = join(directory, `${opened++}.db`)
        const store = openSqliteStore({ file, collections, logs })
        try {
          await play(store, history, right)
        } finally {
          await store.close()
        }
      }),
      { numRuns: 25 },
    )
  })

  for (const fact of facts)
    it(`would show a service that forgets ${fact}`, async () => {
      const wrong: Oracle = { knows: (each: Fact) => each !== fact }
      const found = await fc.check(inMemory(wrong), { numRuns: 2_000, endOnFailure: true })
      assert.ok(found.failed, `no history of ${found.numRuns} told them apart`)
    })
})
