import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createRunner,
  type RunnerOptions,
  schedule,
  type WorkHandler,
  type WorkItem,
  workItems,
} from '@countersign/core/internal'
import { createLedger, get, list, many, one, put, receipts } from '@countersign/core/ledger'
import { type Observer, silentObserver } from '@countersign/core/ports'
import { createManualClock, createMemoryStore, seededRandom } from '@countersign/core/testing'
import { owingOn } from '../../owing.ts'

const start = Date.UTC(2026, 0, 1)

function bench(handlers: readonly WorkHandler[], options: Partial<RunnerOptions> = {}) {
  const store = createMemoryStore({ collections: [workItems, receipts], logs: [] })
  const clock = createManualClock(start)
  const ledger = createLedger({ store, clock, random: seededRandom(1) })
  const seen: string[] = []
  const observer: Observer = {
    event: (name, facts) => void seen.push(`${name} ${Reflect.get(facts, 'ref')}`),
  }
  const runner = (owner: string) =>
    createRunner({
      ...{ ledger, clock, handlers, observer },
      owing: owingOn(ledger),
      options: { owner, ...options },
    })
  const add = (kind: string, ref: string, due: number, state: unknown = null) =>
    ledger.execute('t1', async () => ({
      kind: 'commit' as const,
      set: { puts: [schedule({ kind, ref, tenantId: 't1', applicationId: null, due, state })] },
      value: null,
    }))
  const item = async (kind: string, ref: string) =>
    one(workItems, (await store.read(null, [get(workItems, [kind, ref])]))[0])
  return { store, clock, ledger, runner, add, item, seen }
}

/** A handler that writes a receipt for each run, so that a double effect shows as a conflict or a count. */
function noting(
  kind: string,
  runs: string[],
  next: (item: WorkItem) => number | null,
): WorkHandler {
  return {
    kind,
    run: async (item, unit) => {
      const runId = `${item.ref}#${runs.filter((run) => run.startsWith(`${item.ref}#`)).length}`
      runs.push(runId)
      const note = {
        tenantId: 't1',
        applicationId: 'a',
        scope: kind,
        idempotencyKey: runId,
        fingerprint: '',
        subject: item.ref,
        createdAt: unit.now,
      }
      return { set: { puts: [put(receipts, note, null)] }, next: next(item) }
    },
  }
}

describe('the runner of due work', () => {
  it('runs what is due, once, and commits the effect with the next due or the removal', async () => {
    const runs: string[] = []
    const { store, clock, runner, add, item } = bench([
      noting('k', runs, ({ state }) => (state === 'again' ? start + 90 : null)),
    ])
    await add('k', 'once', start + 10)
    await add('k', 'twice', start + 20, 'again')
    await add('k', 'later', start + 1000)
    const work = runner('w1')
    assert.equal(await work.tick(), 0)
    await clock.advance(50)
    assert.equal(await work.tick(), 2)
    assert.deepEqual(runs, ['once#0', 'twice#0'])
    assert.equal(await item('k', 'once'), null)
    assert.equal((await item('k', 'twice'))?.row.due, start + 90)
    assert.equal((await item('k', 'twice'))?.row.claims, 0)
    assert.equal(store.rows(receipts).length, 2)
  })

  it('wakes for the next due time, and by poll for what others scheduled', async () => {
    const runs: string[] = []
    const { clock, store, runner, add } = bench([noting('k', runs, () => null)], { pollMs: 100 })
    const work = runner('w1')
    work.start()
    await add('k', 'near', start + 30)
    await clock.advance(29)
    assert.deepEqual(runs, [])
    await clock.advance(1)
    assert.deepEqual(runs, ['near#0'])
    const foreign = { kind: 'k', ref: 'foreign', tenantId: 't1', applicationId: null, due: start }
    await store.commit({ tenant: 't1', puts: [schedule(foreign)] })
    await clock.advance(100)
    assert.deepEqual(runs, ['near#0', 'foreign#0'])
    await work.drain(0)
    assert.equal(clock.waiting(), 0)
  })

  it('looks at the queue twice for an item that falls due, and once for a poll', async () => {
    const runs: string[] = []
    const { clock, store, runner, add } = bench([noting('k', runs, () => null)], { pollMs: 100 })
    let looks = 0
    const { lanes } = store
    store.lanes = (query) => {
      looks++
      return lanes(query)
    }
    const work = runner('w1')
    work.start()
    await clock.advance(0)
    assert.equal(looks, 1)
    await add('k', 'near', start + 30)
    await clock.advance(30)
    assert.deepEqual(runs, ['near#0'])
    assert.equal(looks, 3)
    await clock.advance(100)
    assert.equal(looks, 4)
    await work.drain(0)
  })

  it('goes on as slots are freed, without waiting for the poll', async () => {
    const release: (() => void)[] = []
    const slow: WorkHandler = {
      kind: 'k',
      run: () => new Promise((done) => release.push(() => done({ next: null }))),
    }
    const { clock, runner, add } = bench([slow], { concurrency: 2 })
    for (let n = 0; n < 3; n++) await add('k', `item-${n}`, start)
    const work = runner('w1')
    work.start()
    for (let n = 1; n <= 3; n++) {
      await clock.advance(0)
      assert.equal(release.length, n)
      release[n - 1]?.()
    }
    await work.drain(10)
  })

  it('puts off what fails with growing waits, tells the observer, and never spins', async () => {
    let runs = 0
    const { clock, runner, add, item, seen } = bench([
      {
        kind: 'k',
        run: async () => {
          runs++
          throw new Error('broken')
        },
      },
    ])
    await add('k', 'bad', start)
    const work = runner('w1')
    work.start()
    await clock.advance(0)
    assert.equal(runs, 1)
    for (const [wait, count] of [
      [1000, 2],
      [2000, 3],
      [4000, 4],
    ] as const) {
      await clock.advance(wait - 1)
      assert.equal(runs, count - 1)
      await clock.advance(1)
      assert.equal(runs, count)
    }
    assert.deepEqual(seen, Array(4).fill('work.failed bad'))
    assert.equal((await item('k', 'bad'))?.row.claims, 4)
    await work.drain(0)
  })

  it('has no effect with a lease that it lost', async () => {
    const runs: string[] = []
    let stall: Promise<void> | null = null
    let release = () => {}
    const inner = noting('k', runs, () => null)
    const handler: WorkHandler = {
      kind: 'k',
      run: async (...given) => {
        if (stall) await stall
        return inner.run(...given)
      },
    }
    const { store, clock, runner, add, seen } = bench([handler], { leaseMs: 1000 })
    await add('k', 'slow', start)
    stall = new Promise((resolve) => {
      release = resolve
    })
    const late = runner('w1').tick()
    await clock.advance(1001)
    stall = null
    assert.equal(await runner('w2').tick(), 1)
    release()
    assert.equal(await late, 0)
    assert.deepEqual(runs, ['slow#0', 'slow#1'])
    assert.equal(store.rows(receipts).length, 1)
    assert.deepEqual(seen, ['work.lost slow'])
  })

  it('leaves slots to other kinds while one is slow', async () => {
    const runs: string[] = []
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow: WorkHandler = { kind: 'a', run: () => gate.then(() => ({ next: null })) }
    const { clock, runner, add } = bench([slow, noting('b', runs, () => null)], { concurrency: 4 })
    for (let n = 0; n < 10; n++) await add('a', `a${n}`, start)
    await add('b', 'b', start + 5)
    const work = runner('w1')
    work.start()
    await clock.advance(5)
    assert.deepEqual(runs, ['b#0'])
    release()
    await work.drain(10)
  })

  it('shares the work among several runners on one store', async () => {
    const runs: string[] = []
    const { store, runner, add } = bench([noting('k', runs, () => null)])
    for (let n = 0; n < 40; n++) await add('k', `i${n}`, start)
    const done = await Promise.all(['w1', 'w2', 'w3'].map((owner) => runner(owner).tick()))
    assert.equal(
      done.reduce((sum, count) => sum + count, 0),
      40,
    )
    assert.equal(new Set(runs).size, 40)
    assert.equal(runs.length, 40)
    assert.equal(store.rows(workItems).length, 0)
  })

  it('leaves alone what it has no handler for, without spinning on it', async () => {
    const { clock, runner, add, item } = bench([noting('k', [], () => null)], { pollMs: 100 })
    await add('unknown', 'x', start)
    const work = runner('w1')
    work.start()
    await clock.advance(0)
    assert.equal(clock.untilNext(), 100)
    assert.equal((await item('unknown', 'x'))?.row.claims, 0)
    await work.drain(0)
  })

  it('waits in drain for what is at work, and no longer than it is told', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow: WorkHandler = { kind: 'k', run: () => gate.then(() => ({ next: null })) }
    const { clock, runner, add, item } = bench([slow])
    await add('k', 'slow', start)
    const work = runner('w1')
    work.start()
    await clock.advance(0)
    const ended: string[] = []
    const patient = runner('w2')
    void work.drain(500).then(() => ended.push('impatient'))
    await clock.advance(499)
    assert.deepEqual(ended, [])
    await clock.advance(1)
    assert.deepEqual(ended, ['impatient'])
    release()
    await clock.advance(0)
    assert.equal(await item('k', 'slow'), null)
    await patient.drain(0)
    assert.equal(clock.waiting(), 0)
  })

  it('survives a store that fails, and goes on when it is back', async () => {
    const runs: string[] = []
    let broken = false
    const store = createMemoryStore({
      collections: [workItems, receipts],
      logs: [],
      faults: () => {
        if (broken) throw new Error('disk')
      },
    })
    const clock = createManualClock(start)
    const ledger = createLedger({ store, clock, random: seededRandom(1) })
    const work = createRunner({
      ledger,
      clock,
      handlers: [noting('k', runs, () => null)],
      owing: owingOn(ledger),
      observer: silentObserver,
      options: { owner: 'w1', pollMs: 100 },
    })
    const foreign = { kind: 'k', ref: 'x', tenantId: 't1', applicationId: null, due: start + 150 }
    await store.commit({ tenant: 't1', puts: [schedule(foreign)] })
    work.start()
    broken = true
    await clock.advance(180)
    assert.deepEqual(runs, [])
    broken = false
    await clock.advance(100)
    assert.deepEqual(runs, ['x#0'])
    const [left] = await store.read(null, [list(workItems, { where: [], take: 10 })])
    assert.equal(many(workItems, left).length, 0)
    await work.drain(0)
  })
})
