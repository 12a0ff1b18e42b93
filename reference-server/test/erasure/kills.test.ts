import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { subjectKeys } from '@countersign/core/internal'
import { type Asked, askedErasure } from './asked-erasure.ts'
import { killedAt } from './killed-erasure.ts'
import { never } from './mortal-ports.ts'

/** How many deaths are tried, spread over the writes of an erasure; the long run tries all. */
const deaths = 3

describe('an erasure on SQLite whose process is killed', () => {
  let asked: Asked
  before(async () => {
    asked = await askedErasure()
  })
  after(() => rmSync(asked.directory, { recursive: true }))

  it('is unreadable from its first commit on, and ended by the next process, counted and told once', async () => {
    const { writes } = await killedAt(asked, never)
    assert.ok(writes > 20, `${writes} writes`)
    const seen = new Set<string>()
    for (let death = 0; death < deaths; death++) {
      const at = 1 + Math.floor((death * (writes - 1)) / (deaths - 1))
      const when = death % 2 === 0 ? 'before' : 'after'
      seen.add((await killedAt(asked, { at, when })).status)
    }
    assert.ok(seen.has('received') && seen.has('scheduled'), [...seen].join())
  })

  it('would be seen to leave what was theirs in a file that is never scrubbed', async () => {
    const lazy = killedAt(asked, never, (store) => ({ ...store, scrub: async () => {} }))
    await assert.rejects(lazy, assert.AssertionError)
  })

  it('would be seen to leave the keys where a store keeps what was removed', async () => {
    const forgetful = killedAt(asked, never, (store) => ({
      ...store,
      commit: ({ removes = [], ...set }) =>
        store.commit({ ...set, removes: removes.filter((each) => each.in !== subjectKeys.name) }),
    }))
    await assert.rejects(forgetful, assert.AssertionError)
  })
})
