import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commit, createLedger, type Ledger } from '../../ledger/ledger.ts'
import { get, one, put } from '../../ledger/reads.ts'
import type { Collection } from '../../ports/store.ts'
import { createManualClock, createMemoryStore, seededRandom } from '../../testing/index.ts'

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

function ledger(): Ledger {
  const collections = [counts] as readonly unknown[] as readonly Collection[]
  const store = createMemoryStore({ collections, logs: [] })
  return createLedger({ store, clock: createManualClock(0), random: seededRandom(1) })
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

test('a command whose row moves at every try is refused as busy in the end, and says when to come again', async () => {
  const of = ledger()
  const done = await raise(of, () => raise(of))
  assert.ok(!done.ok)
  assert.deepEqual([done.refusal.code, done.refusal.retryAfter], ['busy', 1])
})
