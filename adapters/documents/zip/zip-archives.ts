import { createHash } from 'node:crypto'
import { finished, Readable } from 'node:stream'
import {
  type AddedFile,
  type Archive,
  type ArchiveContent,
  type Archives,
  isSafePath,
} from '@countersign/core/evidence'
import { ZipFile } from 'yazl'

/** Makes ZIP archives that stream: nothing but the pieces in flight is in memory. */
export const zipArchives: Archives = { create: createZip }

function createZip({ createdAt }: { readonly createdAt: number }): Archive {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  // Only DOS times are written, which yazl makes from local parts: so the parts of UTC are given as local ones.
  const options = {
    mtime: localParts(new Date(createdAt)),
    mode: 0o100644,
    forceDosTimestamp: true,
  }
  const names = new Set<string>()
  const open = new Set<(error: Error) => void>()
  let failure: Error | null = null

  function abort(reason: Error): void {
    if (failure) return
    failure = reason
    for (const fail of open) fail(reason)
    open.clear()
    output.destroy(reason)
  }
  zip.on('error', abort)
  const ended = new Promise<void>((resolve, reject) =>
    finished(output, { writable: false }, (error) => {
      if (!error) return resolve()
      // A reader that leaves closes the stream before its end.
      abort(error)
      reject(failure ?? error)
    }),
  )
  // Who aborts learns it from `add` and `bytes`; `finish` may never be called.
  ended.catch(() => {})

  return {
    bytes: output,
    add(path, content) {
      const name = path.toLowerCase()
      if (!isSafePath(path) || names.has(name))
        throw new TypeError(
          `expected a new, relative path of letters, digits and ._- for a file of an archive, got ${JSON.stringify(path.slice(0, 80))}`,
        )
      names.add(name)
      return new Promise<AddedFile>((resolve, reject) => {
        if (failure) return reject(failure)
        const taken = measured(content)
        const fail = (error: Error) => {
          taken.stream.destroy()
          reject(error)
        }
        open.add(fail)
        // Before yazl has the stream, for an error without a listener ends the process.
        taken.stream.on('error', (error) => {
          open.delete(fail)
          reject(error)
          abort(error)
        })
        taken.stream.on('end', () => {
          open.delete(fail)
          resolve(taken.result())
        })
        zip.addReadStreamLazy(path, options, givenOnce(taken.stream))
      })
    },
    finish() {
      zip.end()
      return ended
    },
    abort,
  }
}

/** Hands a stream over and forgets it: the archive keeps these until its end, and with the stream all of its content. */
function givenOnce(stream: Readable): (next: (error: null, stream: Readable) => void) => void {
  let left: Readable | null = stream
  return (next) => {
    const given = left
    left = null
    if (given) next(null, given)
  }
}

/** The content as a stream that is hashed as it is read. */
function measured(content: ArchiveContent): {
  readonly stream: Readable
  readonly result: () => AddedFile
} {
  const hash = createHash('sha256')
  let bytes = 0
  async function* pieces() {
    for await (const piece of content instanceof Uint8Array ? [content] : content) {
      hash.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  return {
    // Empty pieces would end an object-mode stream's reader early; byte streams skip them.
    stream: Readable.from(pieces(), { objectMode: false, highWaterMark: 65_536 }),
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  }
}

function localParts(date: Date): Date {
  return new Date(
    // The years of DOS times begin with 1980.
    Math.max(1980, date.getUTCFullYear()),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  )
}
