import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { Collection, Store } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { createLedger, type Ledger } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { RefusalCode, Result } from '../../kernel/ledger/refusal.ts'
import { peek, rowWithoutTexts } from '../../kernel/query.ts'
import { line, whole } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { planOf, type Unit } from '../../kernel/unit.ts'
import { createManualClock, createMemoryStore, seededRandom } from '../../testing/index.ts'

const counts = table({
  name: 'counts',
  members: { tenantId: line(10), id: line(10), value: whole(0, 100) },
  key: ['tenantId', 'id'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'a test' },
  retain: { keep: 'a test' },
})
const ada: MemberActor = {
  ...{ kind: 'member', tenantId: 'ten_1', memberId: 'mem_1' },
  ...{ role: 'CustomerAdmin', permissions: [] },
}
type Own = Unit<MemberActor, RefusalCode>

/** An event owes a row, and a mail too. */
const ports: Parameters<typeof planOf>[0] = {
  fanOut: async (_, tenantId, events) => ({
    puts: events.map(({ type }) =>
      put(counts, { tenantId, id: type.slice(0, 10), value: 1 }, null),
    ),
  }),
  post: {
    sends: true,
    owe: (_, tenantId, { subject }) => [put(counts, { tenantId, id: subject, value: 1 }, null)],
  },
}

describe('a unit of work', () => {
  let store: Store
  let ledger: Ledger
  let reads: number
  let runs: number

  beforeEach(() => {
    const collections = [counts] as readonly unknown[] as readonly Collection[]
    store = createMemoryStore({ collections, logs: [auditLog] })
    const counting: Store = {
      ...store,
      read: (tenant, asked) => {
        reads += asked.length
        return store.read(tenant, asked)
      },
    }
    const ports = { clock: createManualClock(0), random: seededRandom(1) }
    ledger = createLedger({ store: counting, ...ports })
    reads = 0
    runs = 0
  })

  /** Runs `plan` in a unit of work, again as long as it conflicts. */
  const execute = <T>(plan: (unit: Own) => Promise<T>): Promise<Result<T>> =>
    ledger.execute(ada.tenantId, (unit) => {
      runs++
      return planOf<MemberActor, unknown, T>(
        ports,
        unit,
        { admit: async () => ada, tools: null },
        plan,
      )
    })
  const storedValue = async (id: string): Promise<number | undefined> => {
    const [found] = await store.read(ada.tenantId, counts.get(ada.tenantId, id).reads)
    return (found?.rows[0]?.row as { readonly value: number } | undefined)?.value
  }
  /** Somebody else writes the row, once, while a unit of work decides. */
  const meddle = async (id: string): Promise<void> => {
    if (runs > 1) return
    const [found] = await store.read(ada.tenantId, counts.get(ada.tenantId, id).reads)
    const row = { tenantId: ada.tenantId, id, value: 50 }
    const puts = [put(counts, row, (found?.rows[0] as never) ?? null)]
    assert.ok((await store.commit({ tenant: ada.tenantId, puts })).committed)
  }
  const row = (id: string, value: number) => ({ tenantId: ada.tenantId, id, value })

  it('commits only if the rows that it asked for by key are as it saw them, absent ones too', async () => {
    const copied = await execute(async (unit) => {
      const { a } = await unit.ask({ a: counts.get(ada.tenantId, 'a') })
      await meddle('a')
      unit.put(counts, row('b', a?.row.value ?? 0))
    })
    assert.ok(copied.ok)
    assert.deepEqual([runs, await storedValue('b')], [2, 50])
  })

  it('goes on whatever becomes of a row that it only peeked at', async () => {
    await execute(async (unit) => {
      const { a } = await unit.ask({ a: peek(counts.get(ada.tenantId, 'a'), 'a test') })
      await meddle('a')
      unit.put(counts, row('b', a?.row.value ?? 0))
    })
    assert.deepEqual([runs, await storedValue('b')], [1, 0])
  })

  it('reads a row once, and decides by one version of it', async () => {
    await execute(async (unit) => {
      const first = await unit.ask({ a: counts.get(ada.tenantId, 'a') })
      await meddle('a')
      const again = await unit.ask({ a: counts.get(ada.tenantId, 'a') })
      assert.deepEqual(again, first)
    })
    assert.deepEqual([runs, reads], [1, 1], 'nothing written: nothing to check')
  })

  it('holds a row that it read without its texts, and then whole, to the first of both', async () => {
    const key = [ada.tenantId, 'a'] as const
    await execute(async (unit) => {
      const { part } = await unit.ask({ part: rowWithoutTexts(counts, key) })
      await meddle('a')
      const { whole } = await unit.ask({ whole: counts.get(...key) })
      assert.equal(reads, 2 * runs, 'a part of the row answered for the whole')
      if (runs > 1) assert.deepEqual(whole, part)
      unit.put(counts, row('b', whole?.row.value ?? 0))
    })
    assert.deepEqual([runs, await storedValue('b')], [2, 50])
  })

  it('writes a row that it asked for, against the version that it saw', async () => {
    const raised = () =>
      execute(async (unit) => {
        const { a } = await unit.ask({ a: counts.get(ada.tenantId, 'a') })
        const value = (a?.row.value ?? 0) + 1
        unit.put(counts, row('a', value), a ?? undefined)
        return value
      })
    await Promise.all(Array.from({ length: 20 }, raised))
    assert.equal(await storedValue('a'), 20)
  })

  it('that refuses writes nothing of what it collected', async () => {
    const refused = await execute(async (unit) => {
      unit.put(counts, row('a', 1))
      unit.audit('count.made', 'a', {})
      unit.refuse('not_found', 'no such count')
    })
    assert.ok(!refused.ok)
    assert.deepEqual(refused.refusal, { code: 'not_found', detail: 'no such count' })
    assert.equal(await storedValue('a'), undefined)
  })

  it('lets what is thrown in it through, and writes nothing', async () => {
    const broken = execute(async (unit) => {
      unit.put(counts, row('a', 1))
      throw new TypeError('a bug')
    })
    await assert.rejects(broken, TypeError)
    assert.equal(await storedValue('a'), undefined)
  })

  it('records an act with time and actor in the same commit', async () => {
    await execute(async (unit) => {
      unit.put(counts, row('a', 1))
      unit.audit('count.made', 'a', { value: 1 })
    })
    const log = { log: auditLog.name, partition: ada.tenantId, after: 0, take: 9 }
    const [found] = await store.read(ada.tenantId, [log])
    const entries = found?.rows.map(({ row: of }) => (of as { readonly entry: Uint8Array }).entry)
    assert.deepEqual(
      entries?.map((entry) => JSON.parse(new TextDecoder().decode(entry))),
      [
        {
          ...{ at: '1970-01-01T00:00:00.000Z', actor: 'member:mem_1' },
          ...{ action: 'count.made', subject: 'a', detail: { value: 1 } },
        },
      ],
    )
  })

  it('schedules due work from the item as it is at the commit', async () => {
    const item = counts.get(ada.tenantId, 'item').reads[0]
    assert.ok(item)
    const wake = {
      item,
      schedule: (_now: number, found: { readonly rows: readonly unknown[] } | undefined) =>
        put(counts, row('item', 1 + (found?.rows.length ?? 0)), (found?.rows[0] ?? null) as never),
    }
    const woken = () => execute(async (unit) => unit.wake(wake))
    await woken()
    await execute(async (unit) => {
      unit.wake(wake)
      unit.wake(wake)
    })
    assert.equal(await storedValue('item'), 2)
  })
})
