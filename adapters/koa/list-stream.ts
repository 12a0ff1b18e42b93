import type { Listing, ListQuery, Pieces, Rows, ScannedListing } from '@countersign/core'
import { pageOf } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { streamAnswer } from './answer-stream.ts'
import type { Answers, Held } from './answers.ts'
import type { Reply } from './media.ts'
import { meterOf } from './rate-limit.ts'

/** A page of a list, its items under a name of their own. */
export type ListPage<Name extends string, T> = { readonly [Items in Name]: readonly T[] } & {
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** What is behind a cursor; `next` is null at the end. */
export type ListRows<T> = Rows<T>

/**
 * A part of a list, written as it is read: a page as `{<name>, totalCount, page, pageSize, hasMore}`, what is behind a
 * cursor as `{rows, next, totalCount}`; either with `scannedTo` where the list has it.
 */
export function streamPart<Name extends string, T>(
  ctx: Context,
  name: Name,
  listing: Listing<T> | ScannedListing<T>,
  query: ListQuery,
): Reply<ListPage<Name, T> | ListRows<T>> {
  const { pieces, totalCount } = listing
  const more = 'scannedTo' in listing ? { scannedTo: listing.scannedTo } : {}
  if (!('page' in query))
    return streamList(ctx, 'rows', pieces, (_, next) => ({ next, totalCount, ...more }))
  const { items: _, ...paging } = pageOf([], totalCount, query)
  return streamList(ctx, name, pieces, () => ({ ...paging, ...more }))
}

/** A whole list in the form of a page. */
export function streamWhole<Name extends string, T>(
  ctx: Context,
  name: Name,
  pieces: Pieces<T>,
): Reply<ListPage<Name, T>> {
  return streamList(ctx, name, pieces, (count) => ({
    totalCount: count,
    page: 1,
    pageSize: count,
    hasMore: false,
  }))
}

function streamList<T, Form>(
  ctx: Context,
  name: string,
  pieces: Pieces<T>,
  rest: (count: number, next: string | null) => object,
): Reply<Form> {
  const answers: Answers = ctx.state.answers
  const owner: string | null = ctx.state.owner
  const meter = meterOf(ctx)
  let opening = `{${JSON.stringify(name)}:[`
  let count = 0
  let ended = false

  function rows(piece: readonly T[]): string {
    const separator = count > 0 && piece.length > 0 ? ',' : ''
    count += piece.length
    return separator + piece.map((row) => JSON.stringify(row)).join()
  }

  function closing(cursor: string | null): string {
    return `],${JSON.stringify(rest(count, cursor)).slice(1)}`
  }

  /** A piece is read and encoded in a turn of its own, so that other requests come between two. */
  async function next(held: Held): Promise<Buffer | null> {
    if (ended) return null
    // What was before is out.
    held.holds(0)
    const end = await answers.turn('piece', owner)
    try {
      // Its receiver may have gone meanwhile.
      if (held.ended) return null
      const piece = await pieces.next()
      ended = piece.done ?? false
      const part = Buffer.from(opening + (piece.done ? closing(piece.value) : rows(piece.value)))
      opening = ''
      held.holds(part.length)
      meter(part.length)
      return part
    } finally {
      end()
    }
  }

  const body = streamAnswer({ next, owner }, answers, () => void ctx.res.destroy())
  return { body }
}
