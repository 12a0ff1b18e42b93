import type { Collection } from '../../base/ports/store.ts'
import { list, many } from '../ledger/reads.ts'
import { handler, type WorkHandler } from './handler.ts'

const day = 24 * 60 * 60 * 1_000
/** From the end of one look at a collection to the next, by default. */
export const retentionEveryMs: number = 60 * 60 * 1_000
/** Rows that go in one commit. */
const window = 100

export interface RetentionOptions {
  /** How long a collection is left alone after a look at it. Default 1 h. */
  readonly everyMs?: number
}

type AgeRule = Extract<Collection['retain'], { readonly days: number }>
type Retained = Collection & { readonly retain: AgeRule }

/**
 * Removes rows older than their collection's retention (`retain`), oldest first, in bounded commits. Rows are found by
 * the index of their age, since a range removal walks the order of keys, in which old rows lie between young ones.
 */
export function createRetention(
  collections: readonly Collection[],
  options: RetentionOptions = {},
): WorkHandler {
  const { everyMs = retentionEveryMs } = options
  const retained = new Map(collections.filter(isRetained).map((each) => [each.name, each]))
  const indexes = new Map([...retained.values()].map((each) => [each.name, ageIndex(each)]))
  return handler<number | null>({
    kind: 'retention',
    of: 'system',
    permanent: [...retained.keys()],
    async run(unit, { ref, state: lookedAt }) {
      const collection = retained.get(ref)
      if (!collection) return null
      const { by, days } = collection.retain
      // By the clock of the look before as well, so that one that runs ahead for less than a look removes nothing.
      const seen = Math.min(unit.now, lookedAt ?? Number.NEGATIVE_INFINITY)
      const [found] = Number.isFinite(seen)
        ? await unit.read([
            list(collection, {
              where: [[by, '<', seen - days * day]],
              by: indexes.get(ref) ?? 'key',
              take: window,
            }),
          ])
        : []
      const old = many(collection, found)
      for (const was of old) unit.remove(collection, was)
      return old.length === window ? unit.now : { next: unit.now + everyMs, state: unit.now }
    },
  })
}

function isRetained(collection: Collection): collection is Retained {
  return 'by' in collection.retain
}

/** Throws a TypeError for a collection whose rows are to go by due work of a kind that no handler does. */
export function checkRetention(
  collections: readonly Collection[],
  handlers: readonly WorkHandler[],
): void {
  const kinds = new Set(handlers.map(({ kind }) => kind))
  for (const { name, retain } of collections)
    if ('work' in retain && !kinds.has(retain.work))
      throw new TypeError(
        `${name} is retained by work of kind ${retain.work}: expected a handler of it`,
      )
}

/** The index that begins with the age; without one each look would go through every row. */
function ageIndex({ name, indexes, retain }: Retained): string {
  const found = Object.entries(indexes).find(([, [first]]) => first === retain.by)
  if (!found)
    throw new TypeError(`${name} is retained by ${retain.by}, and no index begins with it`)
  return found[0]
}
