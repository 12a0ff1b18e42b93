import type { Log, LogEntry } from '../../base/ports/store.ts'
import type { Reader } from '../../kernel/ledger/pages.ts'

/** Entries that one read brings. */
const piece = 500

/** The last position of a log and the hash of that entry; 0 and null for an empty log. */
export interface LogHead {
  readonly position: number
  readonly hash: Uint8Array | null
}

/** Where a log ends now. */
export async function logHead(reader: Reader, { name }: Log, partition: string): Promise<LogHead> {
  const [end] = await reader.read([{ log: name, partition, after: 0, take: 0 }])
  const position = end?.total ?? 0
  if (position === 0) return { position, hash: null }
  const [last] = await reader.read([{ log: name, partition, after: position - 1, take: 1 }])
  const entry = last?.rows[0]?.row as LogEntry | undefined
  if (!entry) throw new Error(`${name} has no entry ${position}`)
  return { position, hash: entry.hash }
}

/** The entries of a log from its first one to a position, else to its end, read in pieces as they are asked for. */
export async function* logEntries(
  reader: Reader,
  { name }: Log,
  partition: string,
  until: number = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<LogEntry, void, undefined> {
  for (let after = 0; after < until; ) {
    const take = Math.min(piece, until - after)
    const [found] = await reader.read([{ log: name, partition, after, take }])
    const entries = (found?.rows ?? []).map(({ row }) => row as LogEntry)
    yield* entries
    after = entries.at(-1)?.position ?? after
    if (entries.length < take) return
  }
}
