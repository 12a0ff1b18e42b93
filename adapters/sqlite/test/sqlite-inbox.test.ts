import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inboxSuite } from '@countersign/conformance/inbox'
import type { Inbox } from '@countersign/core/ports'
import { openSqliteInbox } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { scratch } from './scratch.ts'

const name = scratch()
const files = new WeakMap<Inbox, string>()

function open(file: string): Inbox {
  const inbox = openSqliteInbox({ file })
  files.set(inbox, file)
  return inbox
}

inboxSuite({
  test,
  create: async () => open(name('inbox.db')),
  reopen: async (inbox) => {
    await inbox.close()
    return open(files.get(inbox) ?? name('inbox.db'))
  },
})

test('it counts how often an entry came', async () => {
  const file = name('inbox.db')
  const inbox = open(file)
  const entry = {
    id: 'evt_1',
    topic: 'event',
    type: 'review.case.created',
    position: null,
    body: new TextEncoder().encode('{}'),
    receivedAt: 1,
  } as const
  for (let times = 0; times < 3; times++) await inbox.store(entry)
  assert.deepEqual(await inbox.has(['evt_1', 'evt_2']), [true, false], 'asking is no copy')
  await inbox.close()
  const db = new Database(file, { readonly: true })
  assert.deepEqual(db.prepare('SELECT id, copies FROM entries').all(), [{ id: 'evt_1', copies: 3 }])
  db.close()
})

test('options without a file or a database are refused with what was expected', () => {
  for (const options of [undefined, null, {}, { file: '' }, { path: '/tmp/inbox' }, '/tmp/inbox'])
    assert.throws(() => openSqliteInbox(options as never), {
      name: 'TypeError',
      message: /^openSqliteInbox: expected \{ file \}/,
    })
})
