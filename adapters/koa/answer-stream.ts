import { Readable } from 'node:stream'
import type { Answers } from './answers.ts'

/** Bytes of an answer that are written at a time. */
export const sliceBytes = 64 * 1024

/**
 * An answer's bytes, written in slices as its receiver takes them. `cut` ends the connection: the only way left to
 * tell the receiver of an answer that has begun that it is not whole.
 */
export function streamAnswer(
  parts: AsyncGenerator<Buffer, void, undefined>,
  answers: Answers,
  cut: () => void,
): Readable {
  const held = answers.hold(cut)
  let rest: Buffer = Buffer.alloc(0)
  let relax = () => {}

  async function nextSlice(): Promise<Buffer | null> {
    while (rest.length === 0) {
      const next = await parts.next()
      if (next.done) return null
      rest = next.value
    }
    const slice = rest.subarray(0, sliceBytes)
    rest = rest.subarray(slice.length)
    return slice
  }

  const body = new Readable({
    // The next slice is asked for when the one before is out.
    highWaterMark: 1,
    read() {
      relax()
      nextSlice().then(
        (slice) => {
          if (body.destroyed) return
          held.moved(rest.length + (slice?.length ?? 0))
          relax = answers.expectProgress(cut)
          body.push(slice)
        },
        (error: Error) => body.destroy(error),
      )
    },
    destroy(error, done) {
      relax()
      held.end()
      rest = Buffer.alloc(0)
      void parts.return().catch(() => {})
      done(error)
    },
  })
  body.once('error', cut)
  return body
}
