import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Observer } from '../../../base/ports/observer.ts'
import { auditLog } from '../../../kernel/ledger/audit.ts'
import { createLedger } from '../../../kernel/ledger/ledger.ts'
import { get, list, one, put } from '../../../kernel/ledger/reads.ts'
import { line, whole } from '../../../kernel/shape.ts'
import { table } from '../../../kernel/table.ts'
import { handler, type WorkHandler, type WorkUnit } from '../../../kernel/work/handler.ts'
import { schedule, workItems } from '../../../kernel/work/records.ts'
import { createRunner } from '../../../kernel/work/runner.ts'
import { createManualClock, createMemoryStore, seededRandom } from '../../../testing/index.ts'
import { owingOn } from '../../owing.ts'

const start = Date.UTC(2026, 0, 1)

const counts = table({
  name: 'counts',
  members: { tenantId: line(10), id: line(10), value: whole(0, 100) },
  key: ['tenantId', 'id'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'a test' },
  retain: { keep: 'a test' },
})

function bench(given: WorkHandler) {
  const store = createMemoryStore({ collections: [workItems, counts], logs: [auditLog] })
  const clock = createManualClock(start)
  const ledger = createLedger({ store, clock, random: seededRandom(1) })
  const seen: string[] = []
  const observer: Observer = { event: (name, _facts) => void seen.push(name) }
  const { tick } = createRunner({
    ...{ ledger, clock, observer, handlers: [given] },
    ...{ owing: owingOn(ledger), options: { owner: 'runner' } },
  })
  const set = async (id: string, value: number) => {
    const [found] = await store.read(null, [get(counts, ['t1', id])])
    const row = put(counts, { tenantId: 't1', id, value }, one(counts, found))
    await store.commit({ tenant: 't1', puts: [row] })
  }
  return {
    ...{ store, clock, tick, seen, set },
    add: (item: Partial<Parameters<typeof schedule>[0]>) =>
      store.commit({
        tenant: null,
        puts: [
          schedule({
            ...{ kind: 'k', ref: 'r', tenantId: 't1', applicationId: null, due: start },
            ...item,
          }),
        ],
      }),
    values: () => store.rows(counts).map(({ row }) => row.value),
    items: () => store.rows(workItems).map(({ row: { due, state } }) => ({ due, state })),
  }
}

describe('a handler of due work', () => {
  it('commits what its unit collected with the next time and state of its item', async () => {
    const w = bench(
      handler<number>({
        kind: 'k',
        async run(unit, { tenantId, ref, state }) {
          unit.put(counts, { tenantId, id: String(state), value: state })
          unit.audit('counted', ref, { state })
          if (state === 3) return null
          return state === 2 ? unit.now : { next: unit.now, state: state + 1 }
        },
      }),
    )
    await w.add({ state: 1 })
    await w.set('2', 0)
    // The second run finds the row that it would create: it fails, and nothing of it is kept.
    assert.equal(await w.tick(), 1)
    assert.deepEqual(w.items(), [{ due: start + 1_000, state: 2 }])
    assert.deepEqual(w.values(), [1, 0])
    const log = { log: auditLog.name, partition: 't1', after: 0, take: 9 }
    const [entries] = await w.store.read('t1', [log])
    assert.equal(entries?.rows.length, 1)
    await w.add({ ref: 'last', state: 3 })
    await w.tick()
    assert.deepEqual(w.values(), [1, 0, 3])
    assert.equal(w.items().length, 1)
  })

  /** Doubles a row that another commit changes between the read and the commit of the first run. */
  async function doubled(valueIn: (unit: WorkUnit) => Promise<number>): Promise<readonly number[]> {
    let runs = 0
    const w = bench(
      handler({
        kind: 'k',
        async run(unit, { tenantId }) {
          const value = await valueIn(unit)
          if (runs++ === 0) await w.set('seen', 20)
          unit.put(counts, { tenantId, id: 'double', value: 2 * value })
          return null
        },
      }),
    )
    await w.set('seen', 10)
    await w.add({})
    await w.tick()
    return w.values()
  }

  it('runs again where a row changed that it asked for', async () => {
    const asked = await doubled(
      async ({ ask }) => (await ask({ row: counts.get('t1', 'seen') })).row?.row.value ?? 0,
    )
    assert.deepEqual(new Set(asked), new Set([20, 40]))
    const careless = await doubled(async ({ read }) => {
      const [found] = await read([get(counts, ['t1', 'seen'])])
      return one(counts, found)?.row.value ?? 0
    })
    assert.deepEqual(new Set(careless), new Set([20]), 'a read is no check of the commit')
  })

  it('removes an item of nobody whose work it does', async () => {
    const never = async () => assert.fail('it ran')
    for (const given of [
      { handler: handler({ kind: 'k', run: never }), tenantId: null },
      { handler: handler({ kind: 'k', of: 'application', run: never }), tenantId: 't1' },
    ]) {
      const w = bench(given.handler)
      await w.add({ tenantId: given.tenantId })
      assert.equal(await w.tick(), 1)
      assert.deepEqual([w.items(), w.seen], [[], []])
    }
  })

  it('names the organization of what it writes for the service itself', async () => {
    const w = bench(
      handler({
        kind: 'k',
        of: 'system',
        async run(unit, { ref }) {
          if (ref === 'named') unit.audit('done', ref, {}, 't1')
          // @ts-expect-error no organization is known
          else unit.audit('done', ref, {})
          // @ts-expect-error due work refuses nobody
          if (ref === 'never') unit.refuse('not_found', 'nobody asked')
          return null
        },
      }),
    )
    await w.add({ ref: 'named', tenantId: null })
    assert.equal(await w.tick(), 1)
    await w.add({ ref: 'nameless', tenantId: null })
    assert.equal(await w.tick(), 0)
    assert.deepEqual(w.seen, ['work.failed'])
    const found = await w.store.read(null, [list(workItems, { where: [], take: 9 })])
    assert.equal(found[0]?.rows.length, 1)
  })
})
