import { ApiError } from './errors.ts'

/**
 * A list: awaited, its first page or the one asked for; iterated, every item of it. It is asked for when it is awaited
 * or iterated, each time from the start.
 */
export interface Pages<Page, Item>
  extends Pick<Promise<Page>, 'then' | 'catch' | 'finally'>,
    AsyncIterable<Item> {}

type Query = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>
type Ask = (query: Query) => Promise<Answer>

const longestPage = 100

/** `ask` is called when the list is awaited or iterated, not before. */
export function pagesOf(
  ask: Ask,
  query: Query,
  { items, cursor }: { readonly items: string; readonly cursor?: true },
): Pages<Answer, unknown> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its page.
    then: (...settled) => ask(query).then(...settled),
    catch: (failed) => ask(query).catch(failed),
    finally: (done) => ask(query).finally(done),
    [Symbol.asyncIterator]: () =>
      cursor ? behindCursors(ask, query) : pageByPage(ask, query, items),
  }
}

/** Rows that come or go between pages move nothing. */
async function* behindCursors(
  ask: Ask,
  { page: _, pageSize: __, ...filter }: Query,
): AsyncGenerator<unknown, void, undefined> {
  let after: unknown
  do {
    const answer = await ask({ ...filter, limit: longestPage, after })
    yield* rowsIn(answer, 'rows')
    after = answer.next
  } while (typeof after === 'string')
}

/**
 * Each page begins with a row that was read before. One that does not shows that rows before it went and what follows
 * moved ahead, so it goes back by a page. What comes twice is passed over. So every row that is there all the while is
 * told, once.
 */
async function* pageByPage(
  ask: Ask,
  { page: _, pageSize: __, ...filter }: Query,
  items: string,
): AsyncGenerator<unknown, void, undefined> {
  const seen = new Set<unknown>()
  let read = 0
  for (let more = true; more; ) {
    const { page, pageSize } = pageAfter(read)
    const answer = await ask({ ...filter, page, pageSize })
    const rows = rowsIn(answer, items)
    const from = (page - 1) * pageSize
    const [first] = rows
    if (from > 0 && !(first && seen.has(idOf(first)))) {
      read = Math.max(0, from - longestPage)
      continue
    }
    for (const row of rows) {
      const id = idOf(row)
      if (seen.has(id)) continue
      seen.add(id)
      yield row
    }
    read = from + rows.length
    more = answer.hasMore === true
  }
}

/** The page that has the last of so many rows, and most of what follows it. */
export function pageAfter(read: number): { readonly page: number; readonly pageSize: number } {
  if (read === 0) return { page: 1, pageSize: longestPage }
  const last = read - 1
  let [pageSize, most] = [longestPage, 0]
  for (let size = longestPage; size > 1; size--) {
    const further = size - (last % size)
    if (further > most) [pageSize, most] = [size, further]
  }
  return { page: Math.floor(last / pageSize) + 1, pageSize }
}

function rowsIn(answer: Answer, name: string): readonly Answer[] {
  const rows = answer[name]
  if (Array.isArray(rows)) return rows
  throw new ApiError('unexpected_answer', `expected a list of ${name}, got other JSON`, {
    status: 200,
  })
}

/** The first member where that is an id, else the whole. */
function idOf(item: Answer): unknown {
  const [name, value] = Object.entries(item)[0] ?? []
  return name !== undefined && /^id$|Id$/.test(name) ? value : JSON.stringify(item)
}
