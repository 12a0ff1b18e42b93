import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import { openLedger, totals, write } from './ledger.ts'
import { type Cut, startProxy } from './proxy.ts'
import { freshSchema, missing, server } from './server.ts'

const cuts: readonly Cut[] = ['before', 'half-way', 'after', 'late', 'too late']

describe('a commit whose answer is lost', { skip: missing ?? false }, () => {
  for (const how of cuts)
    it(`is done once, where the connection is cut ${how}`, async (t) => {
      const { url, port } = await server()
      const schema = freshSchema()
      const proxy = await startProxy(port)
      t.after(() => proxy.close())
      const store = await openLedger({ url: url.replace(`:${port}/`, `:${proxy.port}/`), schema })
      t.after(() => store.close())
      let told = 0
      for (let round = 0; round < 50; round++) {
        proxy.cut(how)
        const outcomes = await Promise.all(
          [0, 1, 2].map((one) => write(store, `round ${round}`, one)),
        )
        told += outcomes.filter(Boolean).length
      }
      assert.equal(proxy.cuts, 50)
      const direct = await openLedger({ url, schema })
      t.after(() => direct.close())
      // A set that was committed and sent again would meet its own row, or be counted twice.
      const all = { count: 150, rows: 150, entries: 150, distinct: 150, whole: true }
      assert.deepEqual([told, await totals(direct)], [150, all])
    })

  it('is done once or rejects, where the server is stopped at any moment', async (t) => {
    const { url, stop, start } = await server()
    const store = await openLedger({ url, schema: freshSchema() })
    t.after(() => store.close())
    let ended = false
    let number = 0
    const progress = new EventEmitter()
    const counts = { told: 0, unknown: 0 }
    // What was told of a set with `busy`: nothing of it is written.
    const refused: number[] = []
    const load = Array.from({ length: 16 }, async () => {
      while (!ended) {
        const one = number++
        await write(store, 'load', one).then(
          (written) => {
            assert.ok(written, `write ${one} met its own row`)
            counts.told++
            progress.emit('written')
          },
          (error: { readonly code?: string }) => {
            if (error.code === 'busy') return void refused.push(one)
            assert.equal(error.code, 'io')
            counts.unknown++
          },
        )
      }
    })
    const stops = async () => {
      try {
        for (let round = 0; round < 6; round++) {
          for (const enough = counts.told + 50; counts.told < enough; )
            await once(progress, 'written')
          await stop('SIGQUIT')
          await start()
        }
      } finally {
        ended = true
      }
    }
    await Promise.all([stops(), ...load])
    const { count = 0, rows, entries, distinct, whole } = await totals(store)
    assert.deepEqual([rows, entries, distinct, whole], [count, count, count, true])
    assert.ok((count ?? 0) >= counts.told, `${count} of ${counts.told} are there`)
    assert.ok((count ?? 0) <= counts.told + counts.unknown, 'more are there than were asked for')
    assert.ok(counts.told > 100, `only ${counts.told} were written`)
    for (const one of refused)
      assert.ok(await write(store, 'load', one), `write ${one} was refused and is there`)
  })
})
