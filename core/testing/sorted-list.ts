/** Entries in a total order, in buckets, so that a hundred thousand of them stay cheap to insert into. */
export interface SortedList<T> {
  /** The entry that compares equal to `before` leaves, `after` comes. */
  swap(before: T | undefined, after: T | undefined): void
  /** From the first entry that is not `before`, on; `before` must be true of a prefix of the order. */
  from(before: (entry: T) => boolean): Iterable<T>
  /** From the last entry that is not `after`, backwards; `after` must be true of a suffix of the order. */
  backFrom(after: (entry: T) => boolean): Iterable<T>
}

const bucketSize = 256

export function createSortedList<T>(compare: (a: T, b: T) => number): SortedList<T> {
  const buckets: T[][] = [[]]

  /** The first position whose entry is not `before`. */
  function seek(before: (entry: T) => boolean): readonly [bucket: number, at: number] {
    let low = 0
    let high = buckets.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      const last = buckets[middle]?.at(-1)
      if (last === undefined || before(last)) low = middle + 1
      else high = middle
    }
    const bucket = buckets[low] ?? []
    let start = 0
    let end = bucket.length
    while (start < end) {
      const middle = (start + end) >> 1
      if (before(bucket[middle] as T)) start = middle + 1
      else end = middle
    }
    return [low, start]
  }

  function place(entry: T): readonly [bucket: number, at: number] {
    return seek((other) => compare(other, entry) < 0)
  }

  function insert(entry: T): void {
    const [at, index] = place(entry)
    const bucket = buckets[at] as T[]
    bucket.splice(index, 0, entry)
    if (bucket.length > bucketSize) buckets.splice(at + 1, 0, bucket.splice(bucketSize >> 1))
  }

  /** Replaces an entry by one that compares equal, or removes it and answers false. */
  function replace(before: T, after: T | undefined): boolean {
    const [at, index] = place(before)
    const bucket = buckets[at] as T[]
    const found = bucket[index]
    if (found === undefined || compare(found, before) !== 0)
      throw new Error('the entry to remove is not in the list')
    if (after !== undefined && compare(before, after) === 0) {
      bucket[index] = after
      return true
    }
    bucket.splice(index, 1)
    if (bucket.length === 0 && buckets.length > 1) buckets.splice(at, 1)
    return false
  }

  return {
    swap(before, after) {
      if (before !== undefined && replace(before, after)) return
      if (after !== undefined) insert(after)
    },
    *from(before) {
      let [at, index] = seek(before)
      for (; at < buckets.length; at++, index = 0) {
        const bucket = buckets[at] as T[]
        for (; index < bucket.length; index++) yield bucket[index] as T
      }
    },
    *backFrom(after) {
      let [at, index] = seek((entry) => !after(entry))
      for (; at >= 0; at--) {
        const bucket = buckets[at] as T[]
        for (index = Math.min(index, bucket.length) - 1; index >= 0; index--)
          yield bucket[index] as T
        index = bucketSize + 1
      }
    },
  }
}
