import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SqliteDatabase } from '@countersign/sqlite'
import type { RowCache } from '../row-cache.ts'
import type { Statements } from '../statements.ts'
import { createTurnReads } from '../turn-reads.ts'

function scripted(fails?: string) {
  const log: string[] = []
  const statements = {
    of: (sql: string) => ({
      run: () => {
        log.push(sql)
        if (sql === fails) throw Object.assign(new Error('scripted'), { code: 'SQLITE_IOERR_READ' })
      },
    }),
  } as unknown as Statements
  const db = { inTransaction: false } as unknown as SqliteDatabase
  const cache = { refresh: () => log.push('refresh') } as unknown as RowCache
  return { log, reads: createTurnReads(db, statements, cache) }
}

describe('reads of one turn', () => {
  it('share one snapshot, those of the next have another', async () => {
    const { log, reads } = scripted()
    const read = (name: string) => reads.run(() => log.push(name))
    await Promise.all([read('a'), read('b')])
    await read('c')
    const [begin, end] = ['SAVEPOINT snapshot', 'RELEASE snapshot']
    assert.deepEqual(log, [begin, 'refresh', 'a', 'b', end, begin, 'refresh', 'c', end])
  })

  it('fail alone', async () => {
    const { log, reads } = scripted()
    const [first, second] = await Promise.allSettled([
      reads.run(() => {
        throw new Error('of the first')
      }),
      reads.run(() => 'second'),
    ])
    assert.equal(first.status === 'rejected' && first.reason.message, 'of the first')
    assert.equal(second.status === 'fulfilled' && second.value, 'second')
    assert.equal(log.at(-1), 'RELEASE snapshot')
  })

  it('are all refused when there is no snapshot', async () => {
    const { reads } = scripted('SAVEPOINT snapshot')
    const all = await Promise.allSettled([reads.run(() => 1), reads.run(() => 2)])
    for (const one of all)
      assert.deepEqual(
        [one.status, one.status === 'rejected' && one.reason.code],
        ['rejected', 'io'],
      )
  })

  it('that wait are run by a flush, once', async () => {
    const { log, reads } = scripted()
    const read = reads.run(() => log.push('a'))
    reads.flush()
    assert.ok(log.includes('a'))
    await read
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(log.filter((one) => one === 'SAVEPOINT snapshot').length, 1)
  })
})
