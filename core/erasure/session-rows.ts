import type { UnitOfWork } from '../ledger/ledger.ts'
import { list, many } from '../ledger/reads.ts'
import type { ChangeSet, Collection } from '../ports/store.ts'
import { keyIn } from '../sealing/pages.ts'
import type { PartOwner } from './deps.ts'

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

/** The removal of the first rows of a session in a collection. */
export async function removeRows(
  unit: UnitOfWork,
  { collection, by }: SessionRows,
  session: PartOwner,
  take: number,
): Promise<NonNullable<ChangeSet['removes']>> {
  const where = owner.map((column) => [column, '=', session[column]] as const)
  const [found] = await unit.read([list(collection, { by, where, take })])
  return many(collection, found).map(({ row, version }) => ({
    in: collection.name,
    key: keyIn(collection, row),
    version,
  }))
}
