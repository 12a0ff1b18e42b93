import type { Store } from '../../base/ports/store.ts'
import { list, many } from '../../kernel/ledger/reads.ts'
import { authenticators } from './records.ts'

/** Rows of one read. */
const pieceOf = 500

/**
 * How many authenticators that are not revoked were enrolled for another relying party than `rpId`: browsers offer them
 * to no page of this one, so that their members need others.
 */
export async function countOrphans(store: Store, rpId: string): Promise<number> {
  let count = 0
  for (let after: string | null = ''; after !== null; ) {
    const where = [['credentialId', '>', after] as const]
    const [found] = await store.read(null, [list(authenticators, { where, take: pieceOf })])
    const rows = many(authenticators, found).map(({ row }) => row)
    count += rows.filter((row) => row.revokedAt === null && row.rpId !== rpId).length
    after = rows.length === pieceOf ? (rows.at(-1)?.credentialId ?? null) : null
  }
  return count
}
