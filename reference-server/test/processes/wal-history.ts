import { readFileSync } from 'node:fs'
import type { Store } from '@countersign/core/ports'
import { answered } from '@countersign/core/testing'
import Database from 'better-sqlite3'
import { granted, openEmbedded, opening, seedCast } from './embedded.ts'

/** A database file, the write-ahead log of the commits after it, and what each commit left. */
export interface WalHistory {
  readonly base: Uint8Array
  readonly wal: Uint8Array
  /** By the number of commits, 0 among them. */
  readonly states: readonly { readonly end: number; readonly digest: string }[]
}

const cases = 4
export const webhooks = 2

/** Plays on a file whose write-ahead log is empty, and looks at the file after each commit. */
export async function makeWalHistory(file: string): Promise<WalHistory> {
  const transport = { post: async () => answered(200) }
  const before = openEmbedded({ file, transport })
  const cast = await seedCast(before.service, webhooks)
  await before.store.scrub()
  await before.store.close()

  const base = readFileSync(file)
  const states: { end: number; digest: string }[] = [{ end: 0, digest: '' }]
  const reader = new Database(file, { readonly: true })
  const { service, store } = openEmbedded({
    file,
    transport,
    around: (inner) => afterEachCommit(inner, note),
  })
  states[0] = { end: walOf(file).length, digest: digestOf(reader) }

  function note(): void {
    const wal = walOf(file)
    states.push({ end: wal.length, digest: digestOf(reader) })
  }

  for (let number = 0; number < cases; number++) {
    const opened = granted(
      await service.reviewCases.open(cast.application, opening(String(number))),
    )
    const claimed = granted(
      await service.reviewCases.claim(cast.admin, { reviewCaseId: opened.reviewCaseId }),
    )
    if (number % 2 === 1) continue
    granted(
      await service.reviewCases.decide(cast.admin, {
        reviewCaseId: opened.reviewCaseId,
        caseVersion: claimed.caseVersion,
        presentationDigest: claimed.presentationDigest ?? '',
        decision: 'approved',
      }),
    )
  }
  const wal = walOf(file)
  reader.close()
  await store.close()
  return { base, wal, states }
}

// A plain array: slicing a Buffer would share its memory.
const walOf = (file: string): Uint8Array => Uint8Array.from(readFileSync(`${file}-wal`))

function afterEachCommit(store: Store, call: () => void): Store {
  return {
    ...store,
    commit: async (set) => {
      const outcome = await store.commit(set)
      if (outcome.committed) call()
      return outcome
    },
  }
}

const tables = ['reviewCases', 'messages', 'deliveries', 'receipts', 'workItems', 'webhooks']

/** Every row of these tables by its version, and their counts: no two states of a history have the same. */
const digestText = tables
  .map((table) => `(SELECT count(*) || ':' || total(_version) FROM ${table})`)
  .concat(
    '(SELECT group_concat(reviewCaseId || _version) FROM reviewCases)',
    '(SELECT count(*) FROM _logs)',
  )
  .join(" || ' ' || ")

export function digestOf(db: Database.Database): string {
  return String(db.prepare(`SELECT ${digestText}`).pluck().get())
}
