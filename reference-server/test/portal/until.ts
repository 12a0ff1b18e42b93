import { setTimeout } from 'node:timers/promises'

/** Waits until an answer is there, asking each 50 ms; rejects after half a minute. */
export async function until<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  const end = performance.now() + 30_000
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > end) throw new Error(`expected ${what} within 30 s`)
    await setTimeout(50)
  }
}
