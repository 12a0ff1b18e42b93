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
