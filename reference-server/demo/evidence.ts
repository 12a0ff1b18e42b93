import { collections, logs } from '@countersign/core'
import { tenants } from '@countersign/core/access'
import { deliveries, messages, reviewCases, sessions, steps } from '@countersign/core/internal'
import { auditLog, list, many } from '@countersign/core/ledger'
import type { Collection, LogEntry, Store, Versioned } from '@countersign/core/ports'
import { chainHash, chainStart } from '@countersign/core/store-kit'
import { openPostgresStore } from '@countersign/postgres'
import { openSqliteStore } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import type { LocalSetup } from '../local.ts'
import type { Evidence, KeptEvent } from './tally.ts'
import type { Traced } from './traced.ts'

/** Reads both databases as they lie on the disk, beside the processes that use them. */
export async function gatherEvidence(setup: LocalSetup): Promise<Evidence> {
  return withStore(setup, async (store) => {
    const bodies = new Map(
      (await all(store, messages)).map(({ row }) => [row.messageId, row.body] as const),
    )
    const cases = await all(store, reviewCases)
    const sent = await all(store, deliveries)
    return {
      cases: cases.map(({ row }) => ({
        reviewCaseId: row.reviewCaseId,
        outcome: row.state === 'decided' ? String(row.decision) : row.state,
      })),
      sent: sent
        .filter(({ row }) => row.kind === 'event' || row.kind === 'notice')
        .map(({ row }) => ({
          id: row.messageId,
          status: row.status,
          body: bodies.get(row.messageId) ?? new Uint8Array(),
        })),
      kept: readInbox(setup.files.eventInbox),
      outcomesKept: readInbox(setup.files.outcomeInbox),
    }
  })
}

/** What is stored of the agent's runs. */
export function gatherTraced(setup: LocalSetup): Promise<Traced> {
  return withStore(setup, async (store) => {
    const traced = await all(store, sessions)
    return {
      sessions: traced.length,
      sealed: traced.filter(({ row }) => row.sealed !== null).length,
      steps: (await all(store, steps)).map(({ row }) => row.stepId),
    }
  })
}

/** Deliveries, callbacks among them, that still wait for an attempt or its answer. */
export function unsettled(setup: LocalSetup): Promise<number> {
  return withStore(setup, async (store) => {
    const rows = await all(store, deliveries)
    return rows.filter(({ row }) => row.due !== null).length
  })
}

/** Entries of all audit logs; throws where one is not linked to those before it. */
export function auditedEntries(setup: LocalSetup): Promise<number> {
  return withStore(setup, async (store) => {
    let entries = 0
    for (const { row } of await all(store, tenants)) {
      const log = { log: auditLog.name, partition: row.tenantId, after: 0, take: 1_000_000 }
      const [found] = await store.read(null, [log])
      let previous = chainStart
      for (const one of found?.rows ?? []) {
        const { entry, hash, position } = one.row as LogEntry
        previous = chainHash(previous, entry)
        if (Buffer.compare(previous, hash) !== 0)
          throw new Error(`audit log of ${row.tenantId}: entry ${position} is not linked`)
        entries++
      }
    }
    return entries
  })
}

async function withStore<T>(setup: LocalSetup, use: (store: Store) => Promise<T>): Promise<T> {
  const { COUNTERSIGN_DATABASE_URL: url } = setup.environment
  const store =
    url === undefined
      ? openSqliteStore({ file: setup.files.database, collections, logs })
      : await openPostgresStore({ url, collections, logs })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

async function all<R extends object>(
  store: Store,
  collection: Collection<R>,
): Promise<readonly Versioned<R>[]> {
  const [found] = await store.read(null, [list(collection, { where: [], take: 100_000 })])
  return many(collection, found)
}

function readInbox(file: string): readonly KeptEvent[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare('SELECT id, body, copies FROM entries ORDER BY id').all() as KeptEvent[]
  } finally {
    db.close()
  }
}
