import type { Collection, Versioned } from '../../base/ports/store.ts'
import { ofSession, type SessionKey } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, many } from '../../kernel/ledger/reads.ts'

const owner = ['tenantId', 'applicationId', 'sessionId'] as const

/** A collection whose rows belong to a session, and the index that finds them. */
export interface SessionRows {
  readonly collection: Collection
  readonly by: string
}

/**
 * The collections whose rows go with their session: those with its three columns, but for the ones named. Throws a
 * TypeError for one that no index finds by session, so that a new collection can't be forgotten.
 */
export function rowsOfSessions(
  collections: readonly Collection[],
  except: readonly string[],
): readonly SessionRows[] {
  return collections
    .filter(({ name, columns }) => !except.includes(name) && owner.every((each) => each in columns))
    .map((collection) => {
      const { name, key, indexes } = collection
      const found = Object.entries({ key, ...indexes }).find(([, columns]) =>
        owner.every((each, at) => columns[at] === each),
      )
      if (!found)
        throw new TypeError(
          `${name} has rows of sessions: expected an index that begins with ${owner.join(', ')}`,
        )
      return { collection, by: found[0] }
    })
}

/** The first rows of a session in a collection, but for those that are kept. */
export async function rowsToRemove(
  unit: UnitOfWork,
  { collection, by }: SessionRows,
  session: SessionKey,
  take: number,
  isKept: (row: object) => boolean,
): Promise<readonly Versioned<Record<string, unknown>>[]> {
  for (let skip = 0; ; skip += take) {
    const [found] = await unit.read([
      list(collection, { by, where: ofSession(session), skip, take }),
    ])
    const rows = many(collection, found)
    const removed = rows.filter(({ row }) => !isKept(row))
    if (removed.length > 0 || rows.length < take) return removed
  }
}
