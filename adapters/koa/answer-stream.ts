import { Readable } from 'node:stream'
import type { Answers, Held } from './answers.ts'

/** Bytes of an answer that are written at a time. */
export const sliceBytes = 64 * 1024

const nothing: Buffer = Buffer.alloc(0)

/** What an answer is made of. */
export interface Parts {
  readonly first?: Buffer
  /** Whose it is; null where nobody asked by name. */
  readonly owner?: string | null
  /** Makes the next part and notes its bytes; null at the end. */
  readonly next?: (held: Held) => Promise<Buffer | null>
}

/**
 * An answer's bytes, written in slices as its receiver takes them. `cut` ends the connection: the only way left to tell
 * the receiver of an answer that has begun that it is not whole.
 */
export function streamAnswer(
  { first = nothing, next = async () => null, owner = null }: Parts,
  answers: Answers,
  cut: () => void,
): Readable {
  const held = answers.hold(cut, owner)
  held.holds(first.length)
  let rest = first
  let relax = () => {}

  async function nextSlice(): Promise<Buffer | null> {
    // A part stays in memory until its last slice is out.
    if (rest.length > 0) held.progressed()
    while (rest.length === 0) {
      const part = await next(held)
      if (!part) return null
      rest = part
    }
    const slice = rest.subarray(0, sliceBytes)
    if (rest.length > sliceBytes) {
      rest = rest.subarray(sliceBytes)
      return slice
    }
    // Any view keeps the whole part alive, however little of it: the last slice may wait in the socket for long.
    rest = nothing
    return Buffer.from(slice)
  }

  const body = new Readable({
    // The next slice is asked for when the one before is out.
    highWaterMark: 1,
    read() {
      relax()
      nextSlice().then(
        (slice) => {
          if (body.destroyed) return held.end()
          relax = answers.expectProgress(cut)
          body.push(slice)
        },
        (error: Error) => body.destroy(error),
      )
    },
    destroy(error, done) {
      relax()
      held.end()
      rest = nothing
      done(error)
    },
  })
  body.once('error', cut)
  return body
}
