import { test } from 'node:test'
import { inboxSuite } from '@countersign/conformance/inbox'
import type { Inbox } from '@countersign/core/ports'
import { openSqliteInbox } from '@countersign/sqlite'
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
