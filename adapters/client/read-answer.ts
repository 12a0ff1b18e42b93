import { ApiError } from './errors.ts'

/** Bytes of an answer that a client reads into memory unless it is told otherwise. */
export const mostAnswerBytes = 2 ** 27

/** The body of an answer; throws an ApiError for one that is larger than `mostBytes`, which is read no further. */
export async function readAnswer(
  { status, body }: Response,
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  let held = new Uint8Array(0)
  let length = 0
  for (;;) {
    const chunk = (await reader?.read())?.value
    if (!chunk) return held.subarray(0, length)
    const needed = length + chunk.length
    if (needed > mostBytes) {
      reader?.cancel().catch(() => {})
      const detail = `over ${mostBytes} bytes (maxAnswerBytes)`
      throw new ApiError('answer_too_large', detail, { status })
    }
    // One that comes a byte at a time holds what any other holds.
    if (needed > held.length) {
      const grown = new Uint8Array(Math.max(needed, length * 2))
      grown.set(held)
      held = grown
    }
    held.set(chunk, length)
    length = needed
  }
}
