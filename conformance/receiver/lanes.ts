/** Runs each of the items, so many at once, in their order; rejects with the first error once all lanes have ended. */
export async function inLanes<T>(
  items: readonly T[],
  lanes: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next)
  }
  const results = await Promise.allSettled(Array.from({ length: lanes }, lane))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
