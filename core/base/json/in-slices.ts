/** Work between two pauses, in bytes or characters that are read or written, about. */
export const sliceSize = 131_072

/** Runs work that pauses, and lets others run in each pause. */
export async function inSlices<T>(
  work: Generator<undefined, T>,
  pause: () => Promise<void>,
): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await pause()
  }
}

/** Runs work that pauses, without its pauses. */
export function atOnce<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Counts work, and says when it is time to pause. */
export interface Slices {
  /** Whether to pause before so much more is done. */
  spend(size: number): boolean
}

/** A count that begins again with each pause. */
export function createSlices(): Slices {
  let done = 0
  return {
    spend(size) {
      const isFull = done > 0 && done + size > sliceSize
      done = isFull ? size : done + size
      return isFull
    },
  }
}
