import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, logs } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { openSqliteStore } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { recordingDatabase } from './recording.ts'
import { scratch } from './scratch.ts'

const name = scratch()

const jobs: Collection = {
  name: 'jobs',
  key: ['lane', 'number'],
  columns: { lane: 'text', number: 'int', due: 'int', claims: 'int', state: 'text', topic: 'text' },
  indexes: { byState: ['lane', 'state'] },
  unique: { openTopic: { on: ['lane', 'topic'], when: { column: 'state', is: 'open' } } },
  queue: { lane: 'lane', due: 'due', claims: 'claims' },
  tenant: 'system',
  purge: { keep: 'made by a test' },
  retain: { keep: 'made by a test' },
}

describe('the plans of what runs often', () => {
  it('seek in an index, and sort nothing', async () => {
    const file = name('plans.db')
    const { database, ran } = recordingDatabase(file)
    const store = openSqliteStore({ database, collections: [jobs], logs: [] })
    const row = { lane: 'l', number: 1, due: 5, claims: 0, state: 'open', topic: 'x' }
    await store.commit({ tenant: null, puts: [{ in: 'jobs', row, was: null }] })
    ran.length = 0
    await store.claim({
      in: 'jobs',
      asks: [{ lane: 'l', take: 3 }],
      now: 9,
      leaseUntil: 20,
      owner: 'me',
    })
    await store.lanes({ in: 'jobs', now: 30, after: '', take: 9 })
    await store.nextDue({ in: 'jobs' })
    const list = { list: 'jobs', newest: true, skip: 5, take: 9, count: true }
    await store.read(null, [
      { get: 'jobs', key: ['l', 1] },
      {
        ...list,
        where: [
          ['lane', '=', 'l'],
          ['state', '=', 'open'],
        ],
        by: 'byState',
      },
      { ...list, where: [['lane', '=', 'l']], by: 'byState' },
      { ...list, where: [['lane', '=', 'l']], by: 'key' },
      {
        ...list,
        where: [
          ['topic', '=', 'x'],
          ['lane', '=', 'l'],
          ['state', '=', 'open'],
        ],
        by: 'byState',
      },
    ])
    await store.commit({
      tenant: null,
      ranges: [{ in: 'jobs', where: [['lane', '=', 'l']], after: ['l', 0], window: 5 }],
    })
    await store.close()
    database.close()

    const raw = new Database(file, { readonly: true })
    const looks = [...new Set(ran)].filter((sql) => /^(SELECT|WITH|UPDATE|DELETE)/.test(sql))
    assert.ok(looks.length >= 12, `${looks.length} statements`)
    for (const sql of looks) {
      const values = sql.match(/\?/g)?.map(() => 1) ?? []
      const plan = raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[]
      for (const { detail } of plan)
        assert.doesNotMatch(
          detail,
          /SCAN jobs(?! USING (?:COVERING )?INDEX jobs_queue_due)|TEMP B-TREE/,
          sql,
        )
    }
    raw.close()
  })

  it('try what an index does not begin with in that index, and read no row that does not fit', async () => {
    const file = name('tried.db')
    const { database, ran } = recordingDatabase(file)
    const store = openSqliteStore({ database, collections, logs })
    ran.length = 0
    const by = ['byTenant', 'byApplication', 'bySubject', 'byStatus', 'byOrigin', 'byFlagged']
    for (const index of [...by, 'byReview'])
      await store.read('ten_1', [
        {
          ...{ list: 'sessions', by: index, newest: true, skip: 0, take: 20, count: 10_001 },
          where: [
            ['tenantId', '=', 'ten_1'],
            ['applicationId', '=', 'app_1'],
            ...(index === 'bySubject' ? [['dataSubjectId', '=', 'sub_1'] as const] : []),
            ['status', '=', 'failed'],
            ['origin', '=', 'otlp'],
            ['flagged', '=', 1],
            ['underReview', '=', 1],
            ['place', '>=', '0'],
            ['quality', '>=', 5],
          ],
        },
      ])
    await store.close()
    database.close()
    const raw = new Database(file, { readonly: true })
    const looks = [...new Set(ran)].filter((sql) => /^SELECT .* FROM .*"sessions"/.test(sql))
    assert.equal(looks.length, 14)
    for (const sql of looks) {
      const values = sql.match(/\?/g)?.map(() => 1) ?? []
      const plan = raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[]
      const index = /INDEXED BY "(\w+)"/.exec(sql)?.[1]
      assert.ok(index, sql)
      const tried = plan.map(({ detail }) => detail).join('; ')
      assert.match(tried, new RegExp(`SEARCH sessions USING COVERING INDEX ${index} `), sql)
    }
    raw.close()
  })

  it('follow the index that a read names, whatever else is asked of its rows', async () => {
    const file = name('named.db')
    const { database, ran } = recordingDatabase(file)
    const store = openSqliteStore({ database, collections, logs })
    ran.length = 0
    const others = [
      ['state', '=', 'open'],
      ['state', '=', 'decided'],
      ['reviewTier', '=', 'urgent'],
      ['applicationId', '=', 'app_1'],
      ['assigneeId', '=', null],
      ['expiresAt', '>', 5],
    ] as const
    const list = { list: 'reviewCases', by: 'bySession', newest: true, take: 20, count: 10_001 }
    for (const skip of [0, 9_900])
      for (let chosen = 0; chosen < 2 ** others.length; chosen++)
        await store.read('ten_1', [
          {
            ...list,
            skip,
            where: [
              ['tenantId', '=', 'ten_1'],
              ['sessionId', '=', 'ses_1'],
              ...others.filter((_, at) => (chosen >> at) & 1),
            ],
          },
        ])
    await store.close()
    database.close()
    const raw = new Database(file, { readonly: true })
    const looks = [...new Set(ran)].filter((sql) => /^SELECT .* FROM .*"reviewCases"/.test(sql))
    assert.ok(looks.length > 2 ** (others.length - 1), `${looks.length} statements`)
    for (const sql of looks) {
      const values = sql.match(/\?/g)?.map(() => 1) ?? []
      const plan = raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[]
      const walked = plan.map(({ detail }) => detail).join('; ')
      assert.match(walked, /reviewCases USING (?:COVERING )?INDEX reviewCases_bySession /, sql)
    }
    raw.close()
  })

  it('find the deliveries of a status, of a type and of a span in an index, without their rows', async () => {
    const file = name('deliveries.db')
    const { database, ran } = recordingDatabase(file)
    const store = openSqliteStore({ database, collections, logs })
    ran.length = 0
    const list = { list: 'deliveries', newest: true, skip: 0, take: 20, count: 10_001 }
    const span = [
      ['messageId', '>=', 'evt_1'],
      ['messageId', '<', 'evt_2'],
    ] as const
    for (const type of [[], [['type', '=', 'session.flagged']]] as const)
      for (const of of [[], [['status', '=', 'delivered']]] as const)
        await store.read('ten_1', [
          {
            ...list,
            by: of.length > 0 ? 'byStatus' : 'key',
            where: [['endpointId', '=', 'wh_1'], ...of, ...span, ...(of.length > 0 ? type : [])],
          },
        ])
    await store.close()
    database.close()
    const raw = new Database(file, { readonly: true })
    const looks = [...new Set(ran)].filter((sql) => /^SELECT .* FROM .*"deliveries"/.test(sql))
    assert.equal(looks.length, 6)
    for (const sql of looks) {
      const values = sql.match(/\?/g)?.map(() => 1) ?? []
      const plan = raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[]
      const walked = plan.map(({ detail }) => detail).join('; ')
      const seeks = /"status" = \?/.test(sql)
        ? /INDEX deliveries_byStatus \(endpointId=\? AND status=\? AND messageId>\? AND messageId<\?\)/
        : /PRIMARY KEY \(endpointId=\? AND messageId>\? AND messageId<\?\)/
      assert.match(walked, seeks, sql)
    }
    raw.close()
  })
})
