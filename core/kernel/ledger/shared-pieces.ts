import type { Pieces } from './listing.ts'

/**
 * Pieces of a list for several readers, each at its own pace: what one has read is there for the others. `check` is
 * asked before a reader reads a piece that is not there yet.
 */
export function sharedPieces<T>(source: Pieces<T>): (check: () => Promise<unknown>) => Pieces<T> {
  const read: Promise<Awaited<ReturnType<Pieces<T>['next']>>>[] = []

  function pieceAt(at: number) {
    read[at] ??= source.next().catch((error: unknown) => {
      // Whoever asks next tries again.
      read.length = at
      throw error
    })
    return read[at]
  }

  return (check) => {
    let at = 0
    const pieces: Pieces<T> = {
      [Symbol.asyncIterator]: () => pieces,
      async next() {
        if (at === read.length) await check()
        const piece = await pieceAt(at)
        if (!piece.done) at++
        return piece
      },
    }
    return pieces
  }
}
