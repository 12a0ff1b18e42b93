import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { openLedger, totals, write } from './ledger.ts'
import { freshSchema, missing, server } from './server.ts'

const writer = new URL('./ledger.js', import.meta.url)

describe('processes on one database', { skip: missing ?? false }, () => {
  it('lose no set, and the log is one chain', async () => {
    const { url } = await server()
    const schema = freshSchema()
    const store = await openLedger({ url, schema })
    const children = ['b', 'c'].map((who) => fork(writer, [url, schema, who, '200']))
    const ends = children.map((child) => once(child, 'exit'))
    for (let round = 0; round < 200; round++) assert.ok(await write(store, 'a', round))
    for (const [code] of await Promise.all(ends)) assert.equal(code, 0)
    const all = { count: 600, rows: 600, entries: 600, distinct: 600, whole: true }
    assert.deepEqual(await totals(store), all)
    await store.close()
  })

  it('killed at any moment under load, have written what they told of, and whole sets alone', async () => {
    const { url } = await server()
    const schema = freshSchema()
    const store = await openLedger({ url, schema })
    let told = 0
    for (let kill = 0; kill < 8; kill++) {
      const child = fork(writer, [url, schema, `k${kill}`, '1000000'])
      const exit = once(child, 'exit')
      let mine = 0
      child.on('message', (word) => {
        assert.equal(typeof word, 'number', String(word))
        mine++
        if (mine === 5 + kill * 37) child.kill('SIGKILL')
      })
      await exit
      told += mine
      assert.ok(await write(store, 'other', kill), 'the others go on')
    }
    const { count, rows, entries, distinct, whole } = await totals(store)
    assert.deepEqual([rows, entries, distinct, whole], [count, count, count, true])
    assert.ok((count ?? 0) >= told + 8, `${count} of ${told + 8} are there`)
    await store.close()
  })
})
