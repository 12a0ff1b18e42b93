/** Round robin over groups, first in first out within a group. */
export function createFairRing<T>(groupOf: (item: T) => string) {
  const groups = new Map<string, Set<T>>()
  let size = 0

  function remove(item: T): void {
    const group = groupOf(item)
    const waiting = groups.get(group)
    if (!waiting?.delete(item)) return
    if (waiting.size === 0) groups.delete(group)
    size--
  }

  return {
    get size() {
      return size
    },
    /** At the end of its group's queue; what waits already keeps its place. */
    add(item: T): void {
      const group = groupOf(item)
      const waiting = groups.get(group)
      if (!waiting) groups.set(group, new Set([item]))
      else if (waiting.has(item)) return
      else waiting.add(item)
      size++
    },
    delete: remove,
    take(): T | undefined {
      for (const [group, waiting] of groups) {
        for (const item of waiting) {
          // The group goes to the end of the rotation.
          groups.delete(group)
          waiting.delete(item)
          if (waiting.size > 0) groups.set(group, waiting)
          size--
          return item
        }
      }
      return undefined
    },
    /** The first of one group that is accepted; the turns of all others stay as they are. */
    takeOf(group: string, accepts: (item: T) => boolean): T | undefined {
      for (const item of groups.get(group) ?? [])
        if (accepts(item)) {
          remove(item)
          return item
        }
      return undefined
    },
  }
}

export type FairRing<T> = ReturnType<typeof createFairRing<T>>
