import type { Listing, ListQuery, Pieces, Rows, ScannedListing } from '@countersign/core'
import { RefusedError } from '@countersign/core'
import { ok, pageOf } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { streamAnswer } from './answer-stream.ts'
import type { Answers, Held } from './answers.ts'
import type { Encoded, Reply } from './media.ts'
import { meterOf } from './rate-limit.ts'
import type { HostResult } from './refusal.ts'

/**
 * Bytes up to which a list is gathered before any of it is sent: so it has a length, and may have a tag; what refuses its
 * caller meanwhile is a refusal. A longer one goes on as a stream.
 */
export const gatheredBytes: number = 256 * 1024

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
 * A part of a list, gathered where it is short, else written as it is read: a page as `{<name>, totalCount, page, pageSize, hasMore}`, what is behind a
 * cursor as `{rows, next, totalCount}`; either with `scannedTo` where the list has it.
 */
export function streamPart<Name extends string, T>(
  ctx: Context,
  name: Name,
  listing: Listing<T> | ScannedListing<T>,
  query: ListQuery,
): Promise<HostResult<Reply<ListPage<Name, T> | ListRows<T>>>> {
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
): Promise<HostResult<Reply<ListPage<Name, T>>>> {
  return streamList(ctx, name, pieces, (count) => ({
    totalCount: count,
    page: 1,
    pageSize: count,
    hasMore: false,
  }))
}

async function streamList<T, Form>(
  ctx: Context,
  name: string,
  pieces: Pieces<T>,
  rest: (count: number, next: string | null) => object,
): Promise<HostResult<Reply<Form>>> {
  const answers: Answers = ctx.state.answers
  const owner: string | null = ctx.state.owner
  const meter = meterOf(ctx)
  const cut = () => void ctx.res.destroy()
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

  /** A piece is read and encoded in a turn of its own, so that other requests come between two. `kept`: bytes beside it. */
  async function read(held: Held, kept: number): Promise<Buffer | null> {
    if (ended) return null
    held.holds(kept)
    const end = await answers.turn('piece', owner)
    try {
      // Its receiver may have gone meanwhile.
      if (held.ended) return null
      const piece = await pieces.next()
      ended = piece.done ?? false
      const part = Buffer.from(opening + (piece.done ? closing(piece.value) : rows(piece.value)))
      opening = ''
      held.holds(kept + part.length)
      return part
    } finally {
      end()
    }
  }

  async function gather(): Promise<Buffer> {
    const held = answers.hold(cut, owner)
    const parts: Buffer[] = []
    let bytes = 0
    try {
      while (bytes <= gatheredBytes) {
        const part = await read(held, bytes)
        if (!part) break
        parts.push(part)
        bytes += part.length
      }
      return Buffer.concat(parts)
    } finally {
      held.end()
    }
  }

  // What goes on in turns of its pieces takes no call's.
  ctx.state.endTurn?.()
  try {
    const first = await gather()
    if (ended) return ok({ body: first as Encoded<Form> })
    meter(first.length)
    // What was before is out.
    const next = async (held: Held) => {
      const part = await read(held, 0)
      meter(part?.length ?? 0)
      return part
    }
    return ok({ body: streamAnswer({ first, next, owner }, answers, cut) })
  } catch (error) {
    if (error instanceof RefusedError) return { ok: false, refusal: error.refusal }
    throw error
  }
}
