import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { StoreError } from '@countersign/core/ports'
import { startWriter } from '../threaded-writer.ts'
import { openNotes } from './notes.ts'
import { scratch } from './scratch.ts'
import { openLedger, totals, write } from './writer.ts'

const name = scratch()

describe('the thread that writes', () => {
  it('fails what waits for it and what comes later when it can not start', async () => {
    const writer = startWriter({
      file: name('no such directory/store.db'),
      busyTimeoutMs: undefined,
      collections: [],
      logs: [],
      most: 1,
    })
    const isTold = (error: unknown) =>
      error instanceof StoreError && error.code === 'io' && /has ended/.test(error.message)
    const none = { tenant: null, checks: [], writes: [], ranges: [], adds: [], appends: [] }
    await assert.rejects(writer.commit(none), isTold)
    await assert.rejects(writer.scrub(), isTold)
  })

  it('fails reads too once it has ended, for such a process is to be restarted', async () => {
    const directory = name('removed')
    mkdirSync(directory)
    const store = openLedger(join(directory, 'store.db'), true)
    // Before the thread has opened the file.
    rmSync(directory, { recursive: true })
    await assert.rejects(write(store, 'w', 1), { code: 'io' })
    await assert.rejects(totals(store), { code: 'io' })
  })

  it('needs a file to open for itself', () => {
    assert.throws(() => openNotes({ database: {} as never, writerThread: true }), StoreError)
  })

  it('does not hold a process that has nothing more to write', async () => {
    const file = name('left.db')
    const child = fork(new URL('./leaver.js', import.meta.url), [file])
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    const store = openLedger(file)
    assert.equal((await totals(store)).rows, 1)
    await store.close()
  })

  it('commits what was asked before close, and tells it', async () => {
    const store = openLedger(name('closed.db'), true)
    const asked = Array.from({ length: 40 }, (_, at) => write(store, 'w', at))
    await store.close()
    await Promise.all(asked)
    await assert.rejects(write(store, 'w', 41), StoreError)
  })
})
