/** A list: awaited, its first page or the one asked for; iterated, every item of it. */
export interface Pages<Page, Item> extends PromiseLike<Page>, AsyncIterable<Item> {}

type Query = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>

const pageSize = 100

/** `ask` is called when the list is awaited or iterated, not before. */
export function pagesOf(
  ask: (query: Query) => Promise<Answer>,
  query: Query,
  { items, cursor }: { readonly items: string; readonly cursor?: true },
): Pages<Answer, unknown> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its page.
    then: (...settled) => ask(query).then(...settled),
    [Symbol.asyncIterator]: () =>
      cursor ? behindCursors(ask, query) : pageByPage(ask, query, items),
  }
}

/** Rows that come or go meanwhile move nothing. */
async function* behindCursors(
  ask: (query: Query) => Promise<Answer>,
  { page: _, pageSize: __, ...filter }: Query,
): AsyncGenerator<unknown, void, undefined> {
  let after: unknown
  do {
    const { rows, next } = await ask({ ...filter, limit: pageSize, after })
    yield* rows as readonly unknown[]
    after = next
  } while (after !== null)
}

/** What moves to a later page while it is read comes twice, and is passed over. */
async function* pageByPage(
  ask: (query: Query) => Promise<Answer>,
  { page: _, pageSize: __, ...filter }: Query,
  items: string,
): AsyncGenerator<unknown, void, undefined> {
  const seen = new Set<unknown>()
  for (let page = 1, more = true; more; page++) {
    const answer = await ask({ ...filter, page, pageSize })
    for (const item of answer[items] as readonly Answer[]) {
      const key = idOf(item)
      if (seen.has(key)) continue
      seen.add(key)
      yield item
    }
    more = answer.hasMore === true
  }
}

/** The first member where that is an id, else the whole. */
function idOf(item: Answer): unknown {
  const [name, value] = Object.entries(item)[0] ?? []
  return name !== undefined && /^id$|Id$/.test(name) ? value : JSON.stringify(item)
}
