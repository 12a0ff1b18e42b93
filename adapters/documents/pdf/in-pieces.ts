import type { Reduced } from './without-unprinted.ts'

/** A piece of a document on its way to the thread: its beginning, some items of one of its lists, or at the end all else. */
export type Piece =
  | { readonly begins: true }
  | { readonly list: string; readonly items: readonly unknown[] }
  | { readonly rest: Reduced }

/** Items of a list that are copied at once. */
const itemsAtOnce = 500

/** A document in pieces, each of which is copied shortly. */
export function* piecesOf({ kind, document }: Reduced): Generator<Piece, void, undefined> {
  const rest: Record<string, unknown> = { ...document }
  yield { begins: true }
  for (const [list, items] of Object.entries(document)) {
    if (!Array.isArray(items) || items.length <= itemsAtOnce) continue
    for (let from = 0; from < items.length; from += itemsAtOnce)
      yield { list, items: items.slice(from, from + itemsAtOnce) }
    rest[list] = []
  }
  yield { rest: { kind, document: rest } as unknown as Reduced }
}

/** Takes pieces in order; answers the document with its last one. Of one that broke off nothing is in the next. */
export function gatherPieces(): (piece: Piece) => Reduced | null {
  let lists = new Map<string, unknown[]>()
  return (piece) => {
    if ('begins' in piece) {
      lists = new Map()
      return null
    }
    if ('list' in piece) {
      const known = lists.get(piece.list) ?? []
      known.push(...piece.items)
      lists.set(piece.list, known)
      return null
    }
    const { kind, document } = piece.rest
    const whole = { kind, document: { ...document, ...Object.fromEntries(lists) } }
    lists = new Map()
    return whole as unknown as Reduced
  }
}
