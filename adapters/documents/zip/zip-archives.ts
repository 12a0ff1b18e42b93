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
import { dosTimeOf } from './layout.ts'
import { hashWritten, noteContent, type WrittenMember } from './written.ts'

/** Makes ZIP archives that stream: nothing but the pieces in flight is in memory. */
export const zipArchives: Archives = { create: createZip }

function createZip({ createdAt }: { readonly createdAt: number }): Archive {
  const zip = new ZipFile()
  const options = {
    mtime: new UtcParts(Math.max(createdAt, Date.UTC(1980, 0, 1))),
    mode: 0o100644,
    forceDosTimestamp: true,
  }
  const written = hashWritten(dosTimeOf(createdAt))
  // The writer's public property: all that it writes goes there, chunk by chunk.
  Object.assign(zip, { outputStream: written.stream })
  const output: Readable = written.stream
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

  function take(path: string): void {
    const name = path.toLowerCase()
    if (!isSafePath(path) || names.has(name))
      throw new TypeError(
        `expected a new, relative path of letters, digits and ._- for a file of an archive, got ${JSON.stringify(path.slice(0, 80))}`,
      )
    names.add(name)
  }

  return {
    bytes: output,
    add(path, content) {
      take(path)
      return new Promise<AddedFile>((resolve, reject) => {
        if (failure) return reject(failure)
        const member: WrittenMember = { path, bytes: 0, crc: 0, isRead: false }
        const taken = measured(content, member)
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
        written.expect(member)
        zip.addReadStreamLazy(path, options, givenOnce(taken.stream))
      })
    },
    written() {
      return new Promise((resolve, reject) => {
        if (failure) return reject(failure)
        open.add(reject)
        void written.total().then((total) => {
          open.delete(reject)
          resolve(total)
        })
      })
    },
    addStored(path, content) {
      take(path)
      if (failure) throw failure
      zip.addBuffer(Buffer.from(content), path, { ...options, compress: false })
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

/** The content as a stream that is measured as it is read. */
function measured(
  content: ArchiveContent,
  member: WrittenMember,
): {
  readonly stream: Readable
  readonly result: () => AddedFile
} {
  const hash = createHash('sha256')
  async function* pieces() {
    for await (const piece of content instanceof Uint8Array ? [content] : content) {
      hash.update(piece)
      noteContent(member, piece)
      yield piece
    }
    member.isRead = true
  }
  return {
    // Empty pieces would end an object-mode stream's reader early; byte streams skip them.
    stream: Readable.from(pieces(), { objectMode: false, highWaterMark: 65_536 }),
    result: () => ({ bytes: member.bytes, sha256: hash.digest('hex') }),
  }
}

/**
 * Only DOS times are written, which yazl makes from local parts: so those of UTC are given as local ones. A date of local
 * parts alone would not do, for summer time skips hours.
 */
class UtcParts extends Date {
  override getFullYear(): number {
    return this.getUTCFullYear()
  }
  override getMonth(): number {
    return this.getUTCMonth()
  }
  override getDate(): number {
    return this.getUTCDate()
  }
  override getHours(): number {
    return this.getUTCHours()
  }
  override getMinutes(): number {
    return this.getUTCMinutes()
  }
  override getSeconds(): number {
    return this.getUTCSeconds()
  }
}
