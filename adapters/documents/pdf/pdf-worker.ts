import { parentPort } from 'node:worker_threads'
import type { Printable } from '@countersign/core/evidence'
import { gatherPieces, type Piece } from './in-pieces.ts'
import { print } from './print.ts'

/** What the thread answers to a document. */
export type Answer = { readonly bytes: Uint8Array } | { readonly error: string }

const gather = gatherPieces()

parentPort?.on('message', (piece: Piece) => {
  const printable = gather(piece)
  if (printable) void answer(printable)
})

async function answer(printable: Printable): Promise<void> {
  try {
    const bytes = Uint8Array.from(await print(printable))
    parentPort?.postMessage({ bytes } satisfies Answer, [bytes.buffer])
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    parentPort?.postMessage({ error: text } satisfies Answer)
  }
}
