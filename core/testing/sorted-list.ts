/** Entries in a total order, in buckets, so that a hundred thousand of them stay cheap to insert into. */
export interface SortedList<T> {
  insert(entry: T): void
  /** Removes the entry that compares equal. */
  remove(entry: T): void
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

  return {
    insert(entry) {
      const [at, index] = seek((other) => compare(other, entry) < 0)
      const bucket = buckets[at] as T[]
      bucket.splice(index, 0, entry)
      if (bucket.length > bucketSize) buckets.splice(at + 1, 0, bucket.splice(bucketSize >> 1))
    },
    remove(entry) {
      const [at, index] = seek((other) => compare(other, entry) < 0)
      const bucket = buckets[at] as T[]
      const found = bucket[index]
      if (found === undefined || compare(found, entry) !== 0)
        throw new Error('the entry to remove is not in the list')
      bucket.splice(index, 1)
      if (bucket.length === 0 && buckets.length > 1) buckets.splice(at, 1)
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
