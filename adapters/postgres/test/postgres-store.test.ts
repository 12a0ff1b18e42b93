import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StoreError } from '@countersign/core/ports'
import { checkPostgres } from '@countersign/postgres'
import pg from 'pg'
import { ledger, openLedger, totals, write } from './ledger.ts'
import { freshSchema, missing, server } from './server.ts'

const place = async () => ({ url: (await server()).url, schema: freshSchema() })

describe('a store on PostgreSQL', { skip: missing ?? false }, () => {
  it('of two stores that write the same keys, one of each pair wins, in one chain', async () => {
    const at = await place()
    const stores = [await openLedger(at), await openLedger(at)]
    const told = await Promise.all(
      Array.from({ length: 120 }, (_, number) =>
        write(stores[number % 2] as (typeof stores)[number], 'both', number >> 1),
      ),
    )
    assert.equal(told.filter(Boolean).length, 60)
    const [one, other] = stores
    assert.ok(one && other)
    await other.close()
    const all = { count: 60, rows: 60, entries: 60, distinct: 60, whole: true }
    assert.deepEqual(await totals(one), all)
    await one.close()
  })

  it('a check finds a changed entry, one that was cut off, and a body that is none', async () => {
    const at = await place()
    const store = await openLedger(at)
    for (const number of [1, 2, 3]) await write(store, 'a', number)
    await store.close()
    const check = () => checkPostgres({ ...at, ...ledger })
    const whole = await check()
    assert.deepEqual([whole.problems, whole.logs[0]?.entries], [[], 3])
    for (const [damage, problem] of [
      [`update _logs set entry = 'x' where position = 2`, /log chain all: entry 2 is not what/],
      ['delete from _logs where position = 3', /its head is of entry 3, its last entry is 2/],
      [`update writes set _body = '\\x81' where number = 2`, /collection writes, row \["a",2\]/],
    ] as const) {
      const client = new pg.Client({
        connectionString: at.url,
        options: `-c search_path=${at.schema}`,
      })
      await client.connect()
      await client.query(damage)
      await client.end()
      assert.match((await check()).problems.join(), problem)
    }
  })

  it('names the row in the way', async () => {
    const store = await openLedger(await place())
    const set = (row: object) => ({ tenant: null, puts: [{ in: 'writes', row, was: null }] })
    await store.commit(set({ who: 'a', number: 1 }))
    assert.deepEqual(await store.commit(set({ who: 'a', number: 1 })), {
      committed: false,
      conflicts: [{ kind: 'version', in: 'writes', key: ['a', 1], now: 1 }],
    })
    await store.close()
  })

  it('refuses a server that may lose what it acknowledged, and a schema of another form', async () => {
    const { url, schema } = await place()
    const careless = `${url}?options=-c%20synchronous_commit%3Doff`
    for (const [options, code] of [
      [{ url: careless, schema }, 'incompatible'],
      [{ url, schema: 'A b' }, 'malformed'],
      [{ url: url.replace(/\d+\/postgres/, '9/postgres'), schema, patienceMs: 100 }, 'io'],
    ] as const)
      await assert.rejects(openLedger(options), (error: unknown) => {
        assert.ok(error instanceof StoreError)
        assert.equal(error.code, code, error.message)
        return true
      })
  })

  it('gives a rejection that says so while the server is gone, and goes on when it is back', async () => {
    const store = await openLedger({ ...(await place()), patienceMs: 300 })
    assert.equal(await write(store, 'a', 1), true)
    const { stop, start } = await server()
    await stop('SIGQUIT')
    await assert.rejects(write(store, 'a', 2), { name: 'StoreError', code: 'io' })
    await assert.rejects(totals(store), { name: 'StoreError', code: 'io' })
    await start()
    assert.equal(await write(store, 'a', 3), true)
    const { count, whole } = await totals(store)
    assert.deepEqual([count, whole], [2, true])
    await store.close()
  })
})
