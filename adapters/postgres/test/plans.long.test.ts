import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Collection } from '@countersign/core/ports'
import { openPostgresStore } from '@countersign/postgres'
import pg from 'pg'
import { freshSchema, missing, server } from './server.ts'

const jobs: Collection = {
  name: 'jobs',
  key: ['id'],
  columns: { id: 'text', lane: 'text', due: 'int', claims: 'int', owner: 'text', rank: 'int' },
  indexes: { byOwner: ['owner', 'rank'] },
  unique: { rank: { on: ['owner', 'rank'] } },
  queue: { lane: 'lane', due: 'due', claims: 'claims' },
  tenant: 'owner',
  purge: { keep: 'made by a test' },
  retain: { keep: 'made by a test' },
}

const rows = 300_000

describe('statements on a large table', { skip: missing ?? false }, () => {
  it('seek in indexes: none reads the table through', async () => {
    const { url } = await server()
    const schema = freshSchema()
    const store = await openPostgresStore({ url, schema, collections: [jobs], logs: [] })
    const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
    await client.connect()
    await client.query(
      `insert into jobs (id, lane, due, claims, owner, rank, _version)
        select 'job ' || n, 'lane ' || n % 500, case when n % 3 = 0 then n end, 0, 'owner ' || n % 100, n, 1
        from generate_series(1, ${rows}) n`,
    )
    await client.query('analyze jobs')
    /** What was read of the table, once the sessions of the store have ended and told. */
    const read = async () => {
      const others = `select count(*)::int from pg_stat_activity where application_name = 'countersign'`
      while ((await client.query(others)).rows[0]?.count > 0);
      const { rows: found } = await client.query(
        `select seq_tup_read::int as walked, idx_tup_fetch::int as fetched from pg_stat_user_tables
          where schemaname = $1 and relname = 'jobs'`,
        [schema],
      )
      return found[0] as { readonly walked: number; readonly fetched: number }
    }
    const before = await read()
    const key = (n: number) => [`job ${n}`] as const
    const page = { by: 'byOwner', newest: false, skip: 0, take: 20, count: false }
    for (let round = 0; round < 8; round++) {
      const at = round * 3 + 3
      const [got] = await store.read('owner 3', [
        { get: 'jobs', key: key(403) },
        { list: 'jobs', where: [['owner', '=', 'owner 3']], ...page },
        { list: 'jobs', where: [['owner', '=', 'owner 3']], ...page, newest: true },
      ])
      await store.read(null, [{ list: 'jobs', where: [], ...page, by: 'key' }])
      const was = got?.rows[0] ?? null
      assert.ok(was)
      assert.equal((await store.lanes({ in: 'jobs', now: rows, after: '', take: 64 })).length, 64)
      await store.nextDue({ in: 'jobs' })
      const claim = { in: 'jobs', now: rows, leaseUntil: rows + 1, owner: 'me' }
      const asks = [1, 2, 3].map((lane) => ({ lane: `lane ${lane * round}`, take: 4 }))
      assert.ok((await store.claim({ ...claim, asks })).length > 0)
      const row = { ...(was.row as object), claims: round + 1 }
      const made = {
        id: `new ${round}`,
        lane: 'l',
        due: null,
        claims: 0,
        owner: 'owner 3',
        rank: null,
      }
      const together = await store.commit({
        tenant: 'owner 3',
        checks: [
          { in: 'jobs', key: key(103), version: 1 },
          { in: 'jobs', key: ['none'], version: 0 },
        ],
        puts: [
          { in: 'jobs', row, was },
          { in: 'jobs', row: made, was: null },
        ],
        removes: [{ in: 'jobs', key: key(203 + at * 100), version: 1 }],
      })
      assert.ok(together.committed, JSON.stringify(together))
      const where = [['owner', '=', 'owner 9'] as const]
      const alone = await store.commit({
        tenant: null,
        puts: [
          { in: 'jobs', row: { ...made, id: `other ${round}`, rank: rows + round }, was: null },
        ],
        ranges: [{ in: 'jobs', where, after: null, window: 5 }],
      })
      assert.ok(alone.committed, JSON.stringify(alone))
    }
    await store.close()
    const after = await read()
    await client.end()
    assert.equal(after.walked - before.walked, 0, 'rows read by walking through the table')
    assert.ok(after.fetched - before.fetched < 20_000, `${after.fetched - before.fetched} fetched`)
  })
})
