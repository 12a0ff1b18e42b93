import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { type Collection, type Observer, StoreError } from '@countersign/core/ports'
import Database from 'better-sqlite3'
import { startWriter } from '../writer-thread.ts'
import { jobs } from './jobs.ts'
import { add, note, notes, openNotes } from './notes.ts'
import { scratch } from './scratch.ts'
import { openLedger, totals, write } from './writer.ts'

const name = scratch()

/** How many files of a directory this process has open; Linux tells. */
function openFiles(directory: string): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      // Closed meanwhile, as is that of the directory that is read here.
      return ''
    }
  })
  return links.filter((link) => link.startsWith(`${directory}/`)).length
}

describe('the thread that writes', () => {
  it('fails what waits for it and what comes later when it can not start', async () => {
    const writer = startWriter({
      file: name('no such directory/store.db'),
      identity: null,
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

  it('fails reads too once it can not be started again, for such a process is to be restarted', async () => {
    const directory = name('removed')
    mkdirSync(directory)
    const store = openLedger(join(directory, 'store.db'), true)
    // Before the thread has opened the file.
    rmSync(directory, { recursive: true })
    for (let tries = 1; tries <= 4; tries++)
      await assert.rejects(write(store, 'w', tries), { code: 'io' })
    await assert.rejects(totals(store), { code: 'io' })
    await store.close()
  })

  it('leaves no file open when it ends before or while the store is closed', {
    skip: process.platform !== 'linux' && 'open files are read from /proc',
  }, async () => {
    const directory = name('ended')
    mkdirSync(directory)
    const store = openLedger(join(directory, 'store.db'), true)
    rmSync(directory, { recursive: true })
    assert.ok(openFiles(directory) > 0)
    await assert.rejects(store.close(), { code: 'io' })
    assert.equal(openFiles(directory), 0)
  })

  it('leaves no file open when it can not be told what is declared', {
    skip: process.platform !== 'linux' && 'open files are read from /proc',
  }, () => {
    const directory = name('untold')
    mkdirSync(directory)
    const odd = { ...notes, note: () => 'a function' } as unknown as Collection
    const file = join(directory, 'store.db')
    assert.throws(() => openNotes({ file, writerThread: true, collections: [odd] }))
    assert.equal(openFiles(directory), 0)
  })

  it('waits for another connection no longer than it is told to', async () => {
    const file = name('locked.db')
    const store = openNotes({ file, writerThread: true, busyTimeoutMs: 0 })
    await add(store, note('a'))
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    const start = performance.now()
    await assert.rejects(add(store, note('b')), { code: 'busy' })
    assert.ok(performance.now() - start < 4_000)
    other.close()
    await store.close()
  })

  it('opens the same file, wherever the process goes meanwhile', async () => {
    const [home, elsewhere, start] = [name('home'), name('elsewhere'), process.cwd()]
    for (const directory of [home, elsewhere]) mkdirSync(directory)
    process.chdir(home)
    const store = openLedger('store.db', true)
    process.chdir(elsewhere)
    await write(store, 'w', 1)
    process.chdir(start)
    assert.equal((await totals(store)).rows, 1)
    await store.close()
    assert.deepEqual(readdirSync(elsewhere), [])
  })

  it('is started again when it ends: what was unanswered is unknown, the rest is written once', async () => {
    const workers: Worker[] = []
    const seen = (worker: Worker) => workers.push(worker)
    process.on('worker', seen)
    const told: string[] = []
    const restarts: string[] = []
    const file = name('ended.db')
    const onWriterEnded = ({ code }: StoreError) => told.push(code)
    const onWriterRestart = ({ code }: StoreError) => restarts.push(code)
    const heard: string[] = []
    const observer: Observer = {
      event: (name, facts) => void heard.push(`${name} ${'thread' in facts && facts.thread}`),
    }
    const store = openNotes({ file, writerThread: true, onWriterEnded, onWriterRestart, observer })
    await add(store, note('before'))
    const sure: string[] = ['before']
    for (let round = 1; round <= 3; round++) {
      const ids = Array.from({ length: 5 }, (_, at) => `${round}-${at}`)
      const asked = ids.map((noteId) => add(store, note(noteId)))
      // Half of the time before the works are handed over, half of the time behind.
      if (round % 2 === 0) await new Promise((done) => setImmediate(done))
      const last = workers.at(-1)
      // An answer on its way would let go of the process, and its end would not be waited for.
      last?.on('message', () => last.ref())
      await last?.terminate()
      for (const [at, one] of (await Promise.allSettled(asked)).entries())
        if (one.status === 'fulfilled') sure.push(ids[at] ?? '')
        else assert.equal(one.reason.code, 'io')
      await add(store, note(`after ${round}`))
      sure.push(`after ${round}`)
      assert.equal(restarts.length, round)
      assert.deepEqual(
        heard,
        restarts.map(() => 'thread.restarted writing'),
      )
    }
    const read = sure.map((noteId) => ({ get: notes.name, key: ['t1', noteId] as const }))
    for (const found of await store.read('t1', read)) assert.equal(found.rows.length, 1)
    await store.close()
    process.off('worker', seen)
    assert.deepEqual(told, [])
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

  it('has closed the file for each of those who close', {
    skip: process.platform !== 'linux' && 'open files are read from /proc',
  }, async () => {
    const directory = name('twice')
    mkdirSync(directory)
    const store = openLedger(join(directory, 'store.db'), true)
    void store.close()
    await store.close()
    assert.equal(openFiles(directory), 0)
  })

  it('tells what it did before it failed, though the failure is heard of first', async () => {
    const made = once(process, 'worker') as Promise<Worker[]>
    const restarts: string[] = []
    const store = openLedger(name('late.db'), true, ({ message }) => restarts.push(message))
    const [worker] = await made
    const asked = write(store, 'w', 1)
    worker?.emit('error', new Error('heard of first'))
    await asked
    await worker?.terminate()
    await write(store, 'w', 2)
    assert.equal((await totals(store)).rows, 2)
    assert.match(restarts[0] ?? '', /heard of first/)
    await store.close()
  })

  it('tells what was claimed before close', async () => {
    const collections = [jobs as unknown as Collection]
    const store = openNotes({ file: name('claimed.db'), writerThread: true, collections })
    const row = { lane: 'l', jobId: 'j', due: 5, claims: 0 }
    await store.commit({ tenant: null, puts: [{ in: jobs.name, row, was: null }] })
    const asks = [{ lane: 'l', take: 1 }]
    const claimed = store.claim({ in: jobs.name, asks, now: 5, leaseUntil: 9, owner: 'me' })
    await store.close()
    assert.deepEqual(
      (await claimed).map(({ leasedBy }) => leasedBy),
      ['me'],
    )
  })
})
