import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SqliteDatabase } from '@countersign/sqlite'
import type { RowCache } from '../row-cache.ts'
import type { Statements } from '../statements.ts'
import { createTurnReads } from '../turn-reads.ts'

function scripted(fails?: string, opensTransaction = false) {
  let inTransaction = false
  const log: string[] = []
  const statements = {
    of: (sql: string) => ({
      run: () => {
        log.push(sql)
        inTransaction = opensTransaction && sql.startsWith('SAVEPOINT')
        if (sql === fails) throw Object.assign(new Error('scripted'), { code: 'SQLITE_IOERR_READ' })
      },
    }),
  } as unknown as Statements
  const db = {
    get inTransaction() {
      return inTransaction
    },
  } as unknown as SqliteDatabase
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

  it('try a page that could not be read three times, within a snapshot that is still there', async () => {
    for (const code of [
      'SQLITE_CORRUPT',
      'SQLITE_CORRUPT_VTAB',
      'SQLITE_IOERR_READ',
      'SQLITE_BUSY',
    ])
      for (const inTransaction of [true, false])
        for (let failures = 0; failures < 5; failures++) {
          const { reads } = scripted(undefined, inTransaction)
          let tries = 0
          const read = reads.run(() => {
            if (tries++ < failures) throw Object.assign(new Error('scripted'), { code })
            return 'read'
          })
          const most = inTransaction && code !== 'SQLITE_BUSY' ? 3 : 1
          const [done] = await Promise.allSettled([read])
          const what = `${code}, ${failures} failures, ${inTransaction ? 'in' : 'without'} a snapshot`
          assert.equal(tries, Math.min(failures + 1, most), what)
          assert.equal(done.status, failures < most ? 'fulfilled' : 'rejected', what)
          if (done.status === 'fulfilled') continue
          assert.equal(done.reason.code, code === 'SQLITE_BUSY' ? 'busy' : 'io', what)
          if (code.startsWith('SQLITE_CORRUPT'))
            assert.match(done.reason.message, /could not be read.*or the file is damaged/, what)
        }
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
