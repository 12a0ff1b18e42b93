import type { CallOptions, FileAnswer } from '@countersign/client'
import { type ReadonlySignal, signal } from '@preact/signals'
import { noteRefusal } from '../session.ts'

/** A file that comes from the service. */
export interface Download {
  readonly title: string
  readonly state: 'running' | 'saved' | 'failed' | 'cancelled'
  /** Bytes that came so far. */
  readonly bytes: number
  /** How it failed. */
  readonly error: unknown
  cancel(): void
}

const all = signal<readonly Download[]>([])

/** The downloads since the page was loaded, the latest first; they go on while other pages are shown. */
export const downloads: ReadonlySignal<readonly Download[]> = all

/** Parts of this size are handed over to the browser, which need not keep them in memory. */
const partBytes = 16 * 1024 * 1024
/** The making of a PDF of a large session takes its time before its first byte. */
const deadlineMs = 300_000

/** Takes a file and has the browser save it once it is whole; what breaks off is not saved. */
export async function download(
  title: string,
  ask: (options: CallOptions) => Promise<FileAnswer>,
): Promise<void> {
  const ended = new AbortController()
  let now: Download = {
    title,
    state: 'running',
    bytes: 0,
    error: null,
    cancel: () => ended.abort(),
  }
  all.value = [now, ...all.value]
  const become = (changes: Partial<Download>) => {
    const next = { ...now, ...changes }
    all.value = all.value.map((one) => (one === now ? next : one))
    now = next
  }
  try {
    const { fileName, mediaType, stream } = await ask({ signal: ended.signal, deadlineMs })
    const blob = await gathered(stream, mediaType, ended.signal, (bytes) => become({ bytes }))
    save(blob, fileName ?? title)
    become({ state: 'saved', bytes: blob.size })
  } catch (error) {
    noteRefusal(error)
    become(ended.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error })
  }
}

/** Saves what is in memory already. */
export function save(blob: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = fileName
  link.click()
  // The browser reads it after this turn.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

async function gathered(
  stream: ReadableStream<Uint8Array>,
  type: string,
  ended: AbortSignal,
  told: (bytes: number) => void,
): Promise<Blob> {
  const reader = stream.getReader()
  ended.addEventListener('abort', () => void reader.cancel())
  const parts: Blob[] = []
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let [bytes, since] = [0, 0]
  for (;;) {
    const { done, value } = await reader.read()
    ended.throwIfAborted()
    if (done) return new Blob([...parts, ...pieces], { type })
    pieces.push(new Uint8Array(value))
    bytes += value.length
    since += value.length
    told(bytes)
    if (since < partBytes) continue
    parts.push(new Blob(pieces))
    pieces = []
    since = 0
  }
}
