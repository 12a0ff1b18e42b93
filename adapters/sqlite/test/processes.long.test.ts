import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import Database from 'better-sqlite3'
import { scratch } from './scratch.ts'
import { openLedger, totals, ways, write } from './writer.ts'

const name = scratch()
const writer = new URL('./writer.js', import.meta.url)

for (const [how, thread] of ways)
  describe(`processes on one file${how}`, () => {
    const way = thread ? 'thread' : 'here'

    it('take turns: no set is lost, and the log is one chain', async () => {
      const file = name('shared.db')
      const store = openLedger(file, thread)
      const children = ['b', 'c'].map((who) => fork(writer, [file, who, '40', '1', way]))
      const ends = children.map((child) => once(child, 'exit'))
      for (let round = 0; round < 40; round++) await write(store, 'a', round)
      for (const [code] of await Promise.all(ends)) assert.equal(code, 0)
      const [total, log] = await store.read(null, [
        { counter: 'writes' },
        { log: 'chain', partition: 'all', after: 0, take: 10_000 },
      ])
      assert.equal(total?.total, 120)
      assert.deepEqual(
        log?.rows.map(({ version }) => version),
        Array.from({ length: 120 }, (_, at) => at + 1),
      )
      await store.close()
    })

    it('killed at any moment, have written what they told of, and whole sets alone', async () => {
      const file = name('killed.db')
      await openLedger(file).close()
      let acknowledged = 0
      for (let kill = 0; kill < 6; kill++) {
        const child = fork(writer, [file, `k${kill}`, '100000', '1', way])
        let told = 0
        child.on('message', () => {
          told++
          if (told === 3 + kill * 7) child.kill('SIGKILL')
        })
        await once(child, 'exit')
        acknowledged += told
      }
      const store = openLedger(file)
      const { count, entries, rows } = await totals(store)
      const raw = new Database(file, { readonly: true })
      assert.equal(raw.pragma('quick_check', { simple: true }), 'ok')
      raw.close()
      assert.ok(count >= acknowledged, `${count} of ${acknowledged} are there`)
      assert.deepEqual([entries, rows], [count, count])
      await store.close()
    })
  })
