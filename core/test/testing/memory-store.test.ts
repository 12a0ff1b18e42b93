import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get, list, put, receipts } from '@countersign/core/ledger'
import type { Collection } from '@countersign/core/ports'
import { createMemoryStore } from '@countersign/core/testing'

interface Job {
  readonly id: string
  readonly lane: string
  readonly due: number | null
  readonly claims: number
  readonly body: { readonly text: string }
}

const jobs: Collection<Job> = {
  name: 'jobs',
  key: ['id'],
  columns: { id: 'text', lane: 'text', due: 'int', claims: 'int' },
  indexes: {},
  queue: { lane: 'lane', due: 'due', claims: 'claims' },
  tenant: 'system',
  purge: { keep: 'test' },
  retain: { keep: 'made by a test' },
}

const job = (id: string, due: number | null): Job => ({
  id,
  lane: `lane ${id.charCodeAt(0) % 3}`,
  due,
  claims: 0,
  body: { text: id },
})

describe('memory store', () => {
  it('gives back frozen rows that no later write moves', async () => {
    const store = createMemoryStore({ collections: [jobs], logs: [] })
    const given = { ...job('a', null), body: { text: 'first' } }
    await store.commit({ tenant: null, puts: [put(jobs, given, null)] })
    given.body.text = 'changed by its owner'
    const [found] = await store.read(null, [get(jobs, ['a'])])
    assert.deepEqual(found?.rows[0], {
      row: { ...job('a', null), body: { text: 'first' } },
      version: 1,
      leasedBy: null,
    })
    assert.throws(
      () => Reflect.set(Object(found?.rows[0]?.row).body, 'text', 'x') || assert.fail('frozen'),
    )
  })

  it('tells a put whose seen row is not the row', async () => {
    const store = createMemoryStore({ collections: [jobs], logs: [] })
    await store.commit({ tenant: null, puts: [put(jobs, job('a', null), null)] })
    await assert.rejects(
      store.commit({
        tenant: null,
        puts: [put(jobs, job('a', 5), { row: job('a', 3), version: 1, leasedBy: null })],
      }),
      { name: 'StoreError', code: 'malformed' },
    )
  })

  it('fails where the hook says: before a commit nothing is written, after it everything is', async () => {
    let fail = 'before_commit'
    const store = createMemoryStore({
      collections: [jobs],
      logs: [],
      faults: (point) => {
        if (point === fail) throw new Error('crash')
      },
    })
    await assert.rejects(store.commit({ tenant: null, puts: [put(jobs, job('a', 1), null)] }))
    assert.equal(store.rows(jobs).length, 0)
    fail = 'after_commit'
    await assert.rejects(store.commit({ tenant: null, puts: [put(jobs, job('a', 1), null)] }))
    assert.equal(store.rows(jobs).length, 1)
    const restarted = store.reopen()
    assert.equal(restarted.rows(jobs)[0]?.version, 1)
    await assert.rejects(store.read(null, []), { code: 'closed' })
  })

  it('stays quick with many rows', async () => {
    const store = createMemoryStore({ collections: [jobs], logs: [] })
    for (let i = 0; i < 30_000; i += 1000)
      await store.commit({
        tenant: null,
        puts: Array.from({ length: 1000 }, (_, j) => {
          const id = String(((i + j) * 7919) % 30_011).padStart(6, '0')
          return put(jobs, { ...job(id, i + j), lane: `lane ${(i + j) % 100}` }, null)
        }),
      })
    const started = process.cpuUsage()
    for (let i = 0; i < 1000; i++) {
      await store.claim({
        in: 'jobs',
        asks: [{ lane: `lane ${i % 100}`, take: 1 }],
        now: 1e6,
        leaseUntil: 2e6,
        owner: 'me',
      })
      await store.lanes({ in: 'jobs', now: 1e6, after: '', take: 10 })
      await store.read(null, [list(jobs, { where: [['id', '>', '015000']], take: 20 })])
    }
    // A scan per call would take minutes. Of the processor: the wall clock would tell of the machine's other work.
    const { user, system } = process.cpuUsage(started)
    assert.ok(user + system < 5_000_000, `${user + system} µs`)
  })

  it('takes declarations of any row type', () => {
    createMemoryStore({ collections: [jobs, receipts], logs: [] })
  })
})
