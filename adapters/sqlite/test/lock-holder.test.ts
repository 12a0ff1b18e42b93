import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { writeLockHolder } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { holderOf } from '../lock-holder.ts'
import { openNotes } from './notes.ts'
import { scratch } from './scratch.ts'

const name = scratch()

const holder = `
  const Database = require('better-sqlite3')
  const db = new Database(process.argv[1])
  db.exec('BEGIN IMMEDIATE')
  process.kill(process.pid, 'SIGSTOP')
  db.exec('COMMIT')
`

describe('the holder of the write lock', () => {
  it('is found in the list of locks by the byte that writers lock', () => {
    const locks = [
      '1: POSIX  ADVISORY  READ 7 fe:00:42 123 123',
      '2: POSIX  ADVISORY  WRITE 8 fe:00:42 121 121',
      '3: FLOCK  ADVISORY  WRITE 9 fe:00:42 0 EOF',
      '4: POSIX  ADVISORY  WRITE 10 fe:00:142 120 120',
      '5: POSIX  ADVISORY  WRITE 11 fe:00:42 120 120',
      '5: -> POSIX  ADVISORY  WRITE 12 fe:00:42 120 120',
    ]
    assert.equal(holderOf(locks.join('\n'), 42), 11)
    assert.equal(holderOf(locks.slice(0, 4).join('\n'), 42), null)
    assert.equal(holderOf(locks.slice(5).join('\n'), 42), null)
    assert.equal(holderOf('1: POSIX  ADVISORY  WRITE 3 fe:00:42 0 EOF', 42), 3)
    assert.equal(holderOf('1: POSIX  ADVISORY  WRITE -1 fe:00:42 120 120', 42), 0)
    assert.equal(holderOf('', 42), null)
  })

  it('is a process that was stopped in a transaction', {
    skip: process.platform === 'linux' ? false : 'only Linux lists its locks',
  }, async () => {
    const file = name('held.db')
    await openNotes({ file }).close()
    assert.equal(writeLockHolder(file), null)
    const open = new Database(file)
    open.prepare('SELECT count(*) FROM notes').get()
    assert.equal(writeLockHolder(file), null)
    const child = spawn(process.execPath, ['-e', holder, file], { stdio: 'ignore' })
    try {
      let found = writeLockHolder(file)
      for (; !found?.stopped; found = writeLockHolder(file)) {
        assert.equal(child.exitCode, null)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      // Not read once more: the list may miss a lock while others of the machine come and go.
      assert.deepEqual({ ...found, command: '' }, { pid: child.pid, command: '', stopped: true })
      // Node 24 calls its thread so, and with it the process.
      assert.match(found.command ?? '', /^(node|MainThread)$/)
      const ended = once(child, 'exit')
      child.kill('SIGCONT')
      await ended
      assert.equal(writeLockHolder(file), null)
    } finally {
      child.kill('SIGKILL')
      open.close()
    }
  })
})
