import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scratch } from './scratch.ts'
import { openLedger, totals, ways } from './writer.ts'

const name = scratch()
const writer = fileURLToPath(new URL('./writer.js', import.meta.url))

describe('a disk that takes no more', { skip: process.platform === 'win32' && 'no ulimit' }, () => {
  for (const [how, thread] of ways)
    it(`is told by its code; what was acknowledged before is there, and nothing by half${how}`, async () => {
      const file = name('limited.db')
      await openLedger(file).close()
      // Blocks of 512 bytes in sh; the signal of a too large file would end the process before SQLite sees the error.
      const script = 'trap "" XFSZ; ulimit -f 300; exec "$0" "$1" "$2" w 100000 1 "$3"'
      const child = spawn(
        'sh',
        ['-c', script, process.execPath, writer, file, thread ? 'thread' : 'here'],
        {
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        },
      )
      const told: unknown[] = []
      child.on('message', (message) => told.push(message))
      await once(child, 'exit')
      const last = told.pop()
      assert.ok(last === 'io' || last === 'full', `the last word was ${last}`)
      assert.ok(told.length > 0, 'nothing was written before')
      const store = openLedger(file)
      const found = await totals(store)
      assert.deepEqual(found, { count: told.length, entries: told.length, rows: told.length })
      await store.close()
    })
})
