import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { collections, createService, logs } from '@countersign/core'
import type { Store } from '@countersign/core/ports'
import {
  answered,
  createManualClock,
  newOrganization,
  plainArchives,
  plainPorts,
  plainRenderer,
  scriptedTransport,
} from '@countersign/core/testing'
import { openSqliteStore } from '@countersign/sqlite'
import Database from 'better-sqlite3'

export const hour = 3_600_000
export const day: number = 24 * hour
const start = Date.UTC(2026, 0, 1, 6)
/** Longer than two polls of the runner: a look that ends begins the next one. */
const pollsMs = 12_000

/** What a table takes: rows, and bytes of its pages and those of its indexes. */
export interface TableSize {
  readonly rows: number
  readonly bytes: number
}

/** The service on SQLite with an organization, under a clock that is moved by hand. */
export async function steadyWorld() {
  const directory = mkdtempSync(join(tmpdir(), 'steady-'))
  const database = new Database(join(directory, 'store.db'))
  const opened = openSqliteStore({ database, collections, logs })
  // No crash is played here, and a year of syncs takes longer than all else.
  database.pragma('synchronous = OFF')
  const { store, isIdle } = watched(opened)
  const clock = createManualClock(start, {
    settle: async () => {
      for (let idle = 0; idle < 4; idle = isIdle() ? idle + 1 : 0) await turn()
    },
  })
  const plain = plainPorts()
  const service = createService({
    ports: {
      ...plain,
      store,
      clock,
      transport: scriptedTransport(({ url }) => answered(url.includes('broken') ? 500 : 200)),
      renderer: plainRenderer,
      archives: plainArchives,
      mailer: { send: async () => {} },
    },
    ingestUrl: 'https://ingest.example',
    dispatcher: { pollMs: 5_000 },
  })
  const { admin } = await newOrganization(service, { plan: 'Team' })
  service.start()
  return {
    service,
    clock,
    blobs: plain.blobs,
    admin,
    /** Lets time pass in one step, then does what fell due. */
    async pass(ms: number): Promise<void> {
      clock.jump(ms - pollsMs)
      await clock.advance(pollsMs)
    },
    sizes: () => sizesOf(database),
    async close(): Promise<void> {
      const closed = service.drain(1_000)
      await clock.advance(1_000)
      await closed
      await opened.close()
      database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export type SteadyWorld = Awaited<ReturnType<typeof steadyWorld>>

/** A store that tells whether a call of it is under way. */
function watched(of: Store): { readonly store: Store; readonly isIdle: () => boolean } {
  let calls = 0
  const counted =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      calls++
      try {
        return await call(...args)
      } finally {
        calls--
      }
    }
  const store: Store = {
    read: counted((...args) => of.read(...args)),
    commit: counted((...args) => of.commit(...args)),
    lanes: counted((...args) => of.lanes(...args)),
    nextDue: counted((...args) => of.nextDue(...args)),
    claim: counted((...args) => of.claim(...args)),
    scrub: counted(() => of.scrub()),
    close: () => of.close(),
  }
  return { store, isIdle: () => calls === 0 }
}

/** Every table of the file, the store's own among them. */
function sizesOf(db: InstanceType<typeof Database>): ReadonlyMap<string, TableSize> {
  const bytes = db
    .prepare(
      `SELECT coalesce(tbl_name, dbstat.name) AS name, sum(pgsize) AS bytes
       FROM dbstat LEFT JOIN sqlite_schema USING (name) GROUP BY 1`,
    )
    .all() as readonly { readonly name: string; readonly bytes: number }[]
  return new Map(
    bytes
      .filter(({ name }) => !name.startsWith('sqlite_'))
      .map(({ name, bytes }) => {
        const rows = db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number
        return [name, { rows, bytes }]
      }),
  )
}
