/** FIFO queue with an O(1) `shift`. */
export function createFifo<T>() {
  let items: T[] = []
  let head = 0

  return {
    get length() {
      return items.length - head
    },
    get first(): T | undefined {
      return items[head]
    },
    push(item: T): void {
      items.push(item)
    },
    shift(): T | undefined {
      if (head === items.length) return undefined
      const item = items[head] as T
      // Removed items must be collectable.
      items[head] = undefined as T
      head++
      if (head * 2 >= items.length) {
        items = items.slice(head)
        head = 0
      }
      return item
    },
    /** Back to the front, for an item that was taken too early. */
    unshift(item: T): void {
      if (head > 0) items[--head] = item
      else items.unshift(item)
    },
  }
}

export type Fifo<T> = ReturnType<typeof createFifo<T>>
