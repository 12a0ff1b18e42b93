import type { Listing, ListQuery } from '@countersign/core'
import { pageOf } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { streamAnswer } from './answer-stream.ts'
import type { Answers } from './answers.ts'
import type { Reply } from './route.ts'

/**
 * A part of a list, written as it is read: a page as `{<name>, totalCount, page, pageSize, hasMore}`, what is behind a
 * cursor as `{rows, next, totalCount}`.
 */
export function streamPart<T>(
  ctx: Context,
  name: string,
  listing: Listing<T>,
  query: ListQuery,
): Reply {
  if (!('page' in query)) return streamRows(ctx, listing)
  const { items: _, ...paging } = pageOf([], listing.totalCount, query)
  return streamList(ctx, name, listing.pieces, () => paging)
}

export function streamRows<T>(ctx: Context, { pieces, totalCount }: Listing<T>): Reply {
  return streamList(ctx, 'rows', pieces, (_, next) => ({ next, totalCount }))
}

/** A whole list in the form of a page. */
export function streamWhole<T>(
  ctx: Context,
  name: string,
  pieces: AsyncGenerator<readonly T[], unknown, undefined>,
): Reply {
  return streamList(ctx, name, pieces, (count) => ({
    totalCount: count,
    page: 1,
    pageSize: count,
    hasMore: false,
  }))
}

function streamList<T, N>(
  ctx: Context,
  name: string,
  pieces: AsyncGenerator<readonly T[], N, undefined>,
  rest: (count: number, next: N) => object,
): Reply {
  const answers: Answers = ctx.state.answers
  const parts = textOf(answers, name, pieces, rest)
  const body = streamAnswer(parts, answers, () => void ctx.res.destroy())
  return { body, headers: { 'Content-Type': 'application/json; charset=utf-8' } }
}

async function* textOf<T, N>(
  answers: Answers,
  name: string,
  pieces: AsyncGenerator<readonly T[], N, undefined>,
  rest: (count: number, next: N) => object,
): AsyncGenerator<Buffer, void, undefined> {
  let count = 0

  /** A piece is read and encoded in a turn of its own, so that other requests come between two. */
  async function part(): Promise<{ readonly text: Buffer; readonly last: boolean }> {
    const end = await answers.turn()
    try {
      const start = count === 0 ? `{${JSON.stringify(name)}:[` : ''
      const next = await pieces.next()
      if (next.done) {
        const paging = JSON.stringify(rest(count, next.value)).slice(1)
        return { text: Buffer.from(`${start}],${paging}`), last: true }
      }
      const separator = count === 0 ? start : ','
      count += next.value.length
      const items = next.value.map((item) => JSON.stringify(item)).join()
      return { text: Buffer.from(items === '' ? '' : separator + items), last: false }
    } finally {
      end()
    }
  }

  try {
    for (let last = false; !last; ) {
      const made = await part()
      last = made.last
      yield made.text
    }
  } finally {
    await pieces.return(undefined as never)
  }
}
