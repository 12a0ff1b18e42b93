import type { Collection, Found, Read, Where } from '../../base/ports/store.ts'
import type { ListQuery, ListSource } from './listing.ts'
import { deepestRow } from './page.ts'
import { list, many } from './reads.ts'

type Unplaced<R extends object, T> = Omit<ListSource<R, T>, 'by'>

/**
 * The source with the index that finds its rows. Where no index has all that is filtered by, the rest is tried on the
 * first `deepestRow` rows that an index finds, of the index that thereby reaches furthest; the source then ends there,
 * and `scannedTo` is the cursor to go on from; its rows are counted from where the query begins. Only indexes that hold
 * the columns of all conditions are taken, so that what does not fit is passed over without its row.
 */
export async function scannedPart<R extends object, T>(
  source: Unplaced<R, T>,
  query: ListQuery,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<ListSource<R, T> & { readonly scannedTo: string | null }> {
  const { collection, where, cursor, newest } = source
  const indexes = indexesFor(collection, where, cursor)
  const whole = indexes.find(({ rest }) => rest.length === 0)
  if (whole) return { ...source, by: whole.by, scannedTo: null }
  const after = 'page' in query ? null : query.after
  const behind: Where = after === null ? [] : [[cursor, newest ? '<' : '>', after]]
  const found = await read(
    indexes.map(({ by, found: pinned }) =>
      list(collection, {
        by,
        where: [...pinned, ...behind],
        newest,
        skip: deepestRow - 1,
        take: 1,
      }),
    ),
  )
  const ends = found.map((each) => many(collection, each)[0]?.row[cursor] as string | undefined)
  const further = (a: string, b: string) => (newest ? a < b : a > b)
  let best = 0
  for (const [at, end] of ends.entries()) {
    const known = ends[best]
    if (known !== undefined && (end === undefined || further(end, known))) best = at
  }
  const by = indexes[best]?.by ?? 'key'
  const end = ends[best]
  // Behind the cursor too: rows ahead of it would be tried once more to be counted.
  const tried = [...where, ...behind]
  if (end === undefined) return { ...source, by, where: tried, scannedTo: null }
  const until: Where = [[cursor, newest ? '>=' : '<=', end]]
  return { ...source, by, where: [...tried, ...until], scannedTo: end }
}

/** Indexes that find rows by some conditions in the order of the cursor and hold the columns of the rest. */
function indexesFor<R extends object>(
  collection: Collection<R>,
  where: Where,
  cursor: string,
): readonly { readonly by: string; readonly found: Where; readonly rest: Where }[] {
  const equal = new Set(where.filter(([, is]) => is === '=').map(([column]) => column))
  return Object.entries(collection.indexes).flatMap(([by, on]) => {
    const columns: readonly string[] = on as readonly string[]
    const at = columns.indexOf(cursor)
    if (at < 0 || !columns.slice(0, at).every((column) => equal.has(column))) return []
    const finds = new Set([...columns.slice(0, at), cursor, collection.tenant])
    const found = where.filter(([column]) => finds.has(column))
    const rest = where.filter(([column]) => !finds.has(column))
    const held = new Set<string>([...columns, ...collection.key])
    return rest.every(([column]) => held.has(column)) ? [{ by, found, rest }] : []
  })
}
