import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Collection } from '../../../base/ports/store.ts'
import { commit, createLedger, type Ledger } from '../../../kernel/ledger/ledger.ts'
import { get, one, put } from '../../../kernel/ledger/reads.ts'
import {
  createManualClock,
  createMemoryStore,
  type StoreFaults,
  seededRandom,
} from '../../../testing/index.ts'

interface Count {
  readonly id: string
  readonly value: number
}

const counts: Collection<Count> = {
  name: 'counts',
  key: ['id'],
  columns: { id: 'text', value: 'int' },
  indexes: {},
  tenant: 'system',
  purge: { keep: 'a test' },
  retain: { keep: 'made by a test' },
}

function world(faults?: StoreFaults) {
  const collections = [counts] as readonly unknown[] as readonly Collection[]
  const store = createMemoryStore({ collections, logs: [], ...(faults && { faults }) })
  const clock = createManualClock(0)
  return { store, clock, of: createLedger({ store, clock, random: seededRandom(1) }) }
}

function ledger(): Ledger {
  return world().of
}

async function raise(of: Ledger, meanwhile: () => Promise<unknown> = async () => {}) {
  return await of.execute<number>(null, async (unit) => {
    const [found] = await unit.read([get(counts, ['a'])])
    const was = one(counts, found)
    const value = (was?.row.value ?? 0) + 1
    await meanwhile()
    return commit({ puts: [put(counts, { id: 'a', value }, was)] }, value)
  })
}

test('fifty commands that write one row at once all get through', async () => {
  const of = ledger()
  const done = await Promise.all(Array.from({ length: 50 }, () => raise(of)))
  const values = done.map((result) => (result.ok ? result.value : 0))
  assert.deepEqual(
    values.toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, at) => at + 1),
  )
})

test('300 commands that write one row at once all get through, with at most three runs each', async () => {
  const { of, store } = world()
  let runs = 0
  const done = await Promise.all(
    Array.from({ length: 300 }, () => raise(of, async () => void runs++)),
  )
  assert.deepEqual(
    done.filter(({ ok }) => !ok),
    [],
  )
  assert.deepEqual(
    store.rows(counts).map(({ row }) => row.value),
    [300],
  )
  assert.ok(runs <= 900, `${runs} runs`)
})

/** A client that commits so many commands one after the other, each of which writes these rows. */
const client = fc.record({
  commands: fc.integer({ min: 1, max: 5 }),
  rows: fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 }),
})

test('commands that write several rows at once all get through, however long reads and commits take', async () => {
  const clients = fc.array(client, { minLength: 1, maxLength: 100, size: 'max' })
  const delays = fc.infiniteStream(fc.nat(4))
  await fc.assert(
    fc.asyncProperty(clients, delays, async (all, delay) => {
      const { of, store } = world(async () => {
        for (let left = delay.next().value as number; left > 0; left--) await null
      })
      let runs = 0
      const add = (ids: readonly string[]) =>
        of.execute<null>(null, async (unit) => {
          runs++
          const found = await unit.read(ids.map((id) => get(counts, [id])))
          const puts = ids.map((id, at) => {
            const was = one(counts, found[at])
            return put(counts, { id, value: (was?.row.value ?? 0) + 1 }, was)
          })
          return commit({ puts }, null)
        })
      const due = new Map<string, number>()
      await Promise.all(
        all.map(async ({ commands, rows }) => {
          for (const id of rows) due.set(id, (due.get(id) ?? 0) + commands)
          for (let left = commands; left > 0; left--) assert.ok((await add(rows)).ok)
        }),
      )
      const held = store.rows(counts).map(({ row }) => [row.id, row.value] as const)
      assert.deepEqual(new Map(held), due)
      const sent = all.reduce((sum, { commands }) => sum + commands, 0)
      // A commit; a first run that conflicts; one more for each further row; for each of three rows, a newcomer that wins.
      assert.ok(runs <= 7 * sent, `${runs} runs for ${sent} commands`)
    }),
    { numRuns: 60 },
  )
})

test('a command that waits for another behind it in turn goes on after a second', async () => {
  const { of, clock } = world()
  let runs = 0
  const outer = raise(of, async () => {
    runs++
    if (runs === 1) await raise(of)
    if (runs !== 2) return
    let moved = false
    await raise(of, async () => {
      if (!moved) await raise(of)
      moved = true
    })
  })
  let ended = false
  void outer.then(() => {
    ended = true
  })
  await clock.advance(999)
  assert.ok(!ended)
  await clock.advance(1)
  assert.deepEqual(await outer, { ok: true, value: 4 })
})

test('a command whose row moves at every try is refused as busy in the end, and says when to come again', async () => {
  const of = ledger()
  const done = await raise(of, () => raise(of))
  assert.ok(!done.ok)
  assert.deepEqual([done.refusal.code, done.refusal.retryAfter], ['busy', 1])
})
