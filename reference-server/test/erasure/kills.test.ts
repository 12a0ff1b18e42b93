import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { subjectKeys } from '@countersign/core/internal'
import { type Asked, askedErasure, hers } from './asked-erasure.ts'
import { killedAt } from './killed-erasure.ts'
import { never } from './mortal-ports.ts'
import { newDirectory } from './process-on.ts'

/** How many deaths are tried, spread over the writes of an erasure; the long run tries all. */
const deaths = 3

function codedBy(coding: 'base64' | 'base64url' | 'hex' | 'utf16be', text: string): Uint8Array {
  if (coding === 'utf16be') return Buffer.from(text, 'utf16le').swap16()
  return Buffer.from(Buffer.from(text).toString(coding))
}

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

  it('would be seen to leave a word in another coding, whatever stands in front of it', async () => {
    const codings = ['base64', 'base64url', 'hex', 'utf16be'] as const
    for (const [at, coding] of codings.entries()) {
      const directory = newDirectory()
      cpSync(asked.directory, directory, { recursive: true })
      const left = `${'+'.repeat(at)}${hers} 5`
      writeFileSync(join(directory, 'left'), codedBy(coding, left))
      const careless = killedAt({ ...asked, directory }, never)
      await assert.rejects(careless, assert.AssertionError, coding)
      rmSync(directory, { recursive: true })
    }
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
