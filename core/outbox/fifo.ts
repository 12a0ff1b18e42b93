/** FIFO queue with an O(1) `shift`. */
export interface Fifo<T> {
  readonly length: number
  readonly first: T | undefined
  push(item: T): void
  shift(): T | undefined
  /** Back to the front, for an item that was taken too early. */
  unshift(item: T): void
}

export function createFifo<T>(): Fifo<T> {
  let items: T[] = []
  let head = 0

  return {
    get length() {
      return items.length - head
    },
    get first() {
      return items[head]
    },
    push(item) {
      items.push(item)
    },
    shift() {
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
    unshift(item) {
      if (head > 0) items[--head] = item
      else items.unshift(item)
    },
  }
}
