import type { test } from 'node:test'
import { inboxSuite } from '@countersign/conformance/inbox'
import type { Inbox } from '@countersign/core/ports'
import { openPostgresInbox } from '@countersign/postgres'
import pg from 'pg'
import { freshSchema, missing, server } from './server.ts'

const schemas = new WeakMap<Inbox, string>()

async function open(schema: string): Promise<Inbox> {
  const inbox = await openPostgresInbox({ url: (await server()).url, schema })
  schemas.set(inbox, schema)
  return inbox
}

/** Registers the inbox suite over the server of this file. */
export function postgresInboxSuite(register: typeof test, runs: number): void {
  inboxSuite({
    test: (name, options, run) => {
      void register(name, missing ? { ...options, skip: missing } : options, run)
    },
    runs,
    create: () => open(freshSchema()),
    reopen: async (inbox) => {
      await inbox.close()
      return open(schemas.get(inbox) ?? freshSchema())
    },
    reset: async (inbox) => {
      const schema = schemas.get(inbox)
      const client = new pg.Client({ connectionString: (await server()).url })
      await client.connect()
      await client.query(`delete from ${schema}.entries; delete from ${schema}.heads`)
      await client.end()
    },
  })
}
