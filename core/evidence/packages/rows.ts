import type { Ledger } from '../../ledger/ledger.ts'
import type { Collection, Found, Key, Read, Versioned, Where } from '../../ports/store.ts'
import { keyIn, pageAfter } from '../../sealing/pages.ts'

/** Rows that one read brings. */
const piece = 200

/** What reads one tenant's rows. */
export interface Reader {
  read(reads: readonly Read[]): Promise<readonly Found[]>
}

/** Reads as a tenant. */
export function readerOf(ledger: Ledger, tenantId: string): Reader {
  return { read: (reads) => ledger.read(tenantId, reads) }
}

/**
 * All rows that fulfil the conditions, in key order, read in pieces as they are asked for. An index may find them whose
 * columns the conditions pin down. `take`: rows of a piece, for rows that may be large.
 */
export async function* rowsOf<R extends object>(
  reader: Reader,
  collection: Collection<R>,
  {
    where,
    by = 'key',
    take = piece,
  }: { readonly where: Where; readonly by?: string; readonly take?: number },
): AsyncGenerator<R, void, undefined> {
  for (let after: Key | null = null; ; ) {
    const page: readonly Versioned<R>[] = await pageAfter(reader, collection, {
      where,
      by,
      after,
      take,
    })
    for (const { row } of page) yield row
    const last = page.at(-1)
    if (!last || page.length < take) return
    after = keyIn(collection, last.row)
  }
}
