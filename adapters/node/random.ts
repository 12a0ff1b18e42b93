import { randomFillSync } from 'node:crypto'
import type { Random } from '@countersign/core/ports'

const poolSize = 8192

/** The system's generator, asked for 8 KiB at a time: ids take 10 bytes, and a call costs more than those. */
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
      // What was handed out, a key perhaps, must not stay here as well.
      pool.fill(0, used, used + count)
      used += count
      return bytes
    },
  }
}
