import { parentPort } from 'node:worker_threads'
import type { Printable } from '@countersign/core/evidence'
import { print } from './print.ts'

/** What the thread answers to a document. */
export type Answer = { readonly bytes: Uint8Array } | { readonly error: string }

parentPort?.on('message', (printable: Printable) => void answer(printable))

async function answer(printable: Printable): Promise<void> {
  try {
    const bytes = Uint8Array.from(await print(printable))
    parentPort?.postMessage({ bytes } satisfies Answer, [bytes.buffer])
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    parentPort?.postMessage({ error: text } satisfies Answer)
  }
}
