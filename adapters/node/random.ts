import { randomFillSync } from 'node:crypto'
import type { Random } from '@countersign/core/ports'

const poolSize = 8192

/** The system's generator, read 8 KiB at a time: an id takes 10 bytes, less than the cost of a call. */
export function nodeRandom(): Random {
  const pool = new Uint8Array(poolSize)
  let used = poolSize
  return {
    bytes: (count) => {
      if (count > poolSize) return randomFillSync(new Uint8Array(count))
      if (used + count > poolSize) {
        randomFillSync(pool)
        used = 0
      }
      const bytes = pool.slice(used, used + count)
      // Wipe the pool's copy: the bytes may become a key.
      pool.fill(0, used, used + count)
      used += count
      return bytes
    },
  }
}
