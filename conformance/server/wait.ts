import { ConformanceError } from '../assert.ts'

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

/** Asks again until there is something, and says what it waited for when there never is. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  withinMs = 10_000,
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end)
      throw new ConformanceError(`expected ${what}, nothing came within ${withinMs} ms`)
    await pause(20)
  }
}
