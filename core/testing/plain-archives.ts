import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Archive, Archives } from '../evidence/outputs.ts'

interface Offer {
  readonly piece: Uint8Array
  readonly taken: () => void
  readonly failed: (reason: Error) => void
}

/** Archives as readable text: a line `> path` before each file's bytes. For tests alone. */
export const plainArchives: Archives = { create: createPlainArchive }

function createPlainArchive(): Archive {
  const offers: Offer[] = []
  let wake = () => {}
  let failure: Error | null = null
  let finished = false
  const all = sha256.create()
  let total = 0

  function offer(piece: Uint8Array): Promise<void> {
    return new Promise((taken, failed) => {
      if (failure) return failed(failure)
      offers.push({ piece, taken, failed })
      wake()
    })
  }

  function put(piece: Uint8Array): Promise<void> {
    all.update(piece)
    total += piece.length
    return offer(piece)
  }

  function abort(reason: Error): void {
    failure ??= reason
    for (const { failed } of offers.splice(0)) failed(failure)
    wake()
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    let ended = false
    try {
      for (;;) {
        const next = offers.shift()
        if (next) {
          yield next.piece
          next.taken()
        } else if (failure) throw failure
        else if (finished) {
          ended = true
          return
        } else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      if (!ended) abort(new Error('the reader of the archive left'))
    }
  }

  return {
    bytes: read(),
    async add(path, content) {
      await put(utf8ToBytes(`> ${path}\n`))
      const hash = sha256.create()
      let bytes = 0
      for await (const piece of content instanceof Uint8Array ? [content] : content) {
        hash.update(piece)
        bytes += piece.length
        await put(piece)
      }
      await put(utf8ToBytes('\n'))
      return { bytes, sha256: bytesToHex(hash.digest()) }
    },
    written: async () => ({ bytes: total, sha256: bytesToHex(all.clone().digest()) }),
    addStored(path, content) {
      if (failure) throw failure
      const stored = [utf8ToBytes(`> ${path}\n`), content, utf8ToBytes('\n')]
      for (const piece of stored) put(piece).catch(() => {})
    },
    async finish() {
      finished = true
      wake()
    },
    abort,
  }
}
