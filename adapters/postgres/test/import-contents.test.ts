import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chainHash, chainStart, type StoreContents } from '@countersign/core/store-kit'
import { checkPostgres, importContents } from '@countersign/postgres'
import { within } from './empty-schema.ts'
import { ledger, openLedger, totals, write } from './ledger.ts'
import { freshSchema, missing, server } from './server.ts'

const count = 250

/** What another store holds after so many writes, the third of which is leased and was changed often. */
function contentsOf(changed: (entry: string) => string = (entry) => entry): StoreContents {
  const rows = Array.from({ length: count }, (_, number) => ({
    row: { who: 'a', number, note: `of ${number}`, bytes: new Uint8Array([number]) },
    version: number === 2 ? 7 : 1,
    leasedBy: number === 2 ? 'somebody' : null,
  }))
  let hash = chainStart
  const entries = rows.map((_, number) => {
    const entry = Buffer.from(`a ${number}`)
    hash = chainHash(hash, entry)
    return { log: 'chain', partition: 'all', position: number + 1, entry, hash }
  })
  return {
    *rows() {
      yield rows.slice(0, 100)
      yield rows.slice(100)
    },
    *counters() {
      yield [['writes', count]]
    },
    *entries() {
      yield entries.slice(0, 100)
      yield entries.slice(100).map((one) => ({
        ...one,
        entry: Buffer.from(changed(Buffer.from(one.entry).toString())),
      }))
    },
  }
}

const place = async () => ({ url: (await server()).url, schema: freshSchema() })

describe('contents of another store', { skip: missing ?? false }, () => {
  it('are there whole, with versions, leases, counters and chains, and written on', async () => {
    const at = await place()
    const moved = await importContents({ ...at, ...ledger, contents: contentsOf() })
    assert.equal(moved.copied, true)
    assert.deepEqual(
      [moved.collections.writes?.count, moved.counters.count, moved.entries.count],
      [count, 1, count],
    )
    const { problems, logs } = await checkPostgres({ ...at, ...ledger })
    assert.deepEqual([problems, logs], [[], moved.logs])
    const store = await openLedger(at)
    const [found] = await store.read(null, [{ get: 'writes', key: ['a', 2] }])
    const row = { who: 'a', number: 2, note: 'of 2', bytes: new Uint8Array([2]) }
    assert.deepEqual(found?.rows, [{ row, version: 7, leasedBy: 'somebody' }])
    assert.equal(await write(store, 'a', 2), false, 'the key is taken')
    assert.equal(await write(store, 'b', 1), true)
    const all = count + 1
    assert.deepEqual(await totals(store), {
      ...{ count: all, rows: all, entries: all, distinct: all },
      whole: true,
    })
    await store.close()
  })

  it('are compared where they are there already, and refused where others are', async () => {
    const at = await place()
    const move = () => importContents({ ...at, ...ledger, contents: contentsOf() })
    const { copied: _, ...first } = await move()
    const { copied, ...again } = await move()
    assert.deepEqual([copied, again], [false, first])
    const store = await openLedger(at)
    await write(store, 'b', 1)
    await store.close()
    await assert.rejects(move(), {
      code: 'incompatible',
      message: /holds other data already \(writes: 250 expected, 251 found/,
    })
  })

  it('leave nothing behind where they fail', async () => {
    const at = await place()
    const broken = contentsOf((entry) => (entry === 'a 200' ? 'a 201' : entry))
    await assert.rejects(importContents({ ...at, ...ledger, contents: broken }), {
      code: 'corrupt',
      message: /entry 201 is not linked/,
    })
    const { copied } = await importContents({ ...at, ...ledger, contents: contentsOf() })
    assert.equal(copied, true)
  })

  it('are not kept where the database has changed a row', async () => {
    const at = await place()
    await (await openLedger(at)).close()
    await within(at, (client) =>
      client.query(`create function forge() returns trigger language plpgsql as
          $$ begin if new.number = 9 then new._version = 2; end if; return new; end $$;
        create trigger forge before insert on writes for each row execute function forge()`),
    )
    const move = () => importContents({ ...at, ...ledger, contents: contentsOf() })
    await assert.rejects(move(), {
      code: 'incompatible',
      message: /what was copied is not what was read \(writes: 250 expected, 250 found\)/,
    })
    await within(at, (client) => client.query('drop trigger forge on writes'))
    assert.equal((await move()).copied, true)
  })
})
