import { collections, logs } from '@countersign/core'
import { deliveries, messages, reviewCases, sessions, steps } from '@countersign/core/internal'
import { list, many } from '@countersign/core/ledger'
import type { Collection, Store, Versioned } from '@countersign/core/ports'
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

async function withStore<T>(setup: LocalSetup, use: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqliteStore({ file: setup.files.database, collections, logs })
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
