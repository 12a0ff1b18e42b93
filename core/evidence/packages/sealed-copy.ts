import { concatBytes } from '@noble/hashes/utils.js'
import { CountersignError } from '../../base/errors/countersign-error.ts'
import type { BlobReader, BlobWriter } from '../../base/ports/blob-store.ts'
import type { Cipher } from '../../base/ports/cipher.ts'
import type { Random } from '../../base/ports/random.ts'
import { openFrame, sealFrame } from '../../content/vault/frame.ts'

/** Clear bytes of one frame at most. */
const frameBytes = 65_536
const lengthBytes = 4

/** A copy that is damaged or was cut short: nothing more of it is given out. */
export class PackageError extends CountersignError<'package_damaged'> {
  override readonly name = 'PackageError'
}

/**
 * Writes a sealed copy: frames, each with its length before it (4 bytes, big-endian), sealed for its place and for being
 * the last or not, so that none can be dropped, moved or cut off.
 */
export function sealedWriter(
  ports: { readonly cipher: Cipher; readonly random: Random },
  key: Uint8Array,
  packageId: string,
  writer: BlobWriter,
): { write(piece: Uint8Array): Promise<void>; end(): Promise<void> } {
  let held: Uint8Array = new Uint8Array()
  let frames = 0

  async function writeFrame(plain: Uint8Array, last: boolean): Promise<void> {
    const frame = sealFrame(ports, key, plain, placeOf(packageId, frames++, last))
    const length = new Uint8Array(lengthBytes)
    new DataView(length.buffer).setUint32(0, frame.length)
    await writer.write(concatBytes(length, frame))
  }

  return {
    async write(piece) {
      held = held.length === 0 ? piece : concatBytes(held, piece)
      // The last frame is known at the end alone, so something is always held.
      while (held.length > frameBytes) {
        const plain = held.subarray(0, frameBytes)
        held = held.subarray(frameBytes)
        await writeFrame(plain, false)
      }
      held = held.slice()
    },
    async end() {
      await writeFrame(held, true)
      await writer.commit()
    },
  }
}

/** The clear bytes of a sealed copy, in pieces. Throws a `PackageError` before any piece that is not as it was written. */
export async function* openedCopy(
  cipher: Cipher,
  key: Uint8Array,
  packageId: string,
  reader: BlobReader,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array = new Uint8Array()
  let frames = 0
  let ended = false
  const damaged = () =>
    new PackageError(
      'package_damaged',
      `the copy of ${packageId} is damaged at frame ${frames}: export it again`,
    )
  for await (const piece of reader.pieces) {
    held = held.length === 0 ? piece : concatBytes(held, piece)
    for (let next = frameIn(held); next; next = frameIn(held)) {
      const { frame, rest } = next
      held = rest
      const middle = openFrame(cipher, key, frame, placeOf(packageId, frames, false))
      const plain = middle ?? openFrame(cipher, key, frame, placeOf(packageId, frames, true))
      if (!plain || ended) throw damaged()
      ended = middle === null
      frames++
      yield plain
    }
  }
  if (!ended || held.length > 0) throw damaged()
}

function frameIn(held: Uint8Array): { frame: Uint8Array; rest: Uint8Array } | null {
  if (held.length < lengthBytes) return null
  const end = lengthBytes + new DataView(held.buffer, held.byteOffset).getUint32(0)
  return held.length < end
    ? null
    : { frame: held.subarray(lengthBytes, end), rest: held.subarray(end) }
}

function placeOf(packageId: string, frame: number, last: boolean): string {
  return JSON.stringify(['evidence package', packageId, frame, last])
}
