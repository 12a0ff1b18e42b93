import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { openPostgresInbox } from '@countersign/postgres'
import pg from 'pg'
import type { Moment } from './effects-worker.ts'
import { freshSchema, missing, server } from './server.ts'

const worker = new URL('./effects-worker.js', import.meta.url)
const moments: readonly Moment[] = ['before', 'written', 'ended', 'settled']

/** How often each of four entries had its effect, where a handler is killed at each moment in turn. */
async function effectsOf(way: 'transactional' | 'plain'): Promise<readonly number[]> {
  const { url } = await server()
  const schema = freshSchema()
  const inbox = await openPostgresInbox({ url, schema })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Nothing keeps an effect from being written twice but the inbox.
    await client.query(`create table ${schema}.effects (id text not null)`)
    const ids = moments.map((moment) => `evt_${moment}`)
    const run = async (moment: string): Promise<unknown> => {
      const child = fork(worker, [url, schema, way, moment])
      const exit = once(child, 'exit')
      child.on('message', () => child.kill('SIGKILL'))
      return exit
    }
    for (const [at, moment] of moments.entries()) {
      await inbox.store({
        id: ids[at] ?? '',
        topic: 'event',
        type: null,
        position: null,
        body: new Uint8Array(),
        receivedAt: Date.now(),
      })
      assert.deepEqual(await run(moment), [null, 'SIGKILL'], moment)
    }
    assert.deepEqual(await run('never'), [0, null])
    const { rows } = await client.query(
      `select id, count(*)::int from ${schema}.effects group by id`,
    )
    const counts = new Map(rows.map(({ id, count }) => [id, count]))
    const waiting = await client.query(`select 1 from ${schema}.entries where "handledAt" is null`)
    assert.equal(waiting.rows.length, 0, 'entries that still wait')
    return ids.map((id) => counts.get(id) ?? 0)
  } finally {
    await client.end()
    await inbox.close()
  }
}

describe('writes of handlers that are killed', { skip: missing ?? false }, () => {
  it('have their effect exactly once in the transaction that settles the entry', async () => {
    assert.deepEqual(await effectsOf('transactional'), [1, 1, 1, 1])
  })

  it('have it twice without, where the handler had written and not settled', async () => {
    const effects = await effectsOf('plain')
    assert.ok(
      effects.every((count) => count > 0) && effects.some((count) => count > 1),
      `effects: ${effects}`,
    )
  })

  it('are not made by a turn that is over, nor kept where the handler throws', async () => {
    const { url } = await server()
    const schema = freshSchema()
    const inbox = await openPostgresInbox({ url, schema })
    const id = 'evt_1'
    const body = new Uint8Array()
    await inbox.store({ id, topic: 'event', type: null, position: null, body, receivedAt: 1 })
    const take = (now: number) => inbox.take({ topic: 'event', now, holdUntil: now + 5, limit: 1 })
    let ran = 0
    const once = inbox.transactional(async (transaction) => {
      ran++
      await transaction.query(`update ${schema}.entries set type = 'written'`)
      if (ran === 1) throw new Error('no')
    })
    await take(1)
    await assert.rejects(once({ message: { id }, attempt: 1 }), /no/)
    assert.equal((await take(6))[0]?.entry.type, null, 'what was written is rolled back')
    await once({ message: { id }, attempt: 1 })
    assert.equal(ran, 1, 'a stale turn does not run')
    await once({ message: { id }, attempt: 2 })
    assert.equal(ran, 2)
    assert.equal(await inbox.handled({ id, attempt: 1 }, 9), 'stale')
    assert.equal(await inbox.failed({ id, attempt: 2 }, 9, 'late'), 'stale')
    assert.equal(await inbox.handled({ id, attempt: 2 }, 9), 'settled')
    await once({ message: { id }, attempt: 2 })
    assert.equal(ran, 2, 'nor does it run again')
    await inbox.close()
  })
})
