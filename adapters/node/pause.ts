const waiting: (() => void)[] = []

/**
 * Lets timers, connections and files of this thread have their turn. Of several that pause one goes on in each turn of
 * the loop, so that their slices of work never add up.
 */
export function nodePause(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(goOn)
    waiting.push(resolve)
  })
}

function goOn(): void {
  const resolve = waiting.shift()
  // One that is set within a turn belongs to the next.
  if (waiting.length > 0) setImmediate(goOn)
  resolve?.()
}
