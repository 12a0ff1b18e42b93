import type { Random } from '../base/ports/random.ts'

/** Reproducible randomness, for tests. */
export interface SeededRandom extends Random {
  /** An integer from 0 up to, not including, `limit`. */
  below(limit: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** A generator of its own, so that draws here do not move those there. */
  fork(): SeededRandom
}

/** The same seed, the same draws: sfc32, which is quick and far from cryptographic. */
export function seededRandom(seed: number): SeededRandom {
  let a = seed | 0
  let b = Math.floor(seed / 2 ** 32) | 0
  let c = 0x9e3779b9 | 0
  let counter = 1

  function word(): number {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  // Neighbouring seeds part only after some rounds.
  for (let round = 0; round < 16; round++) word()
  const fraction = () => (word() * 2 ** 21 + (word() >>> 11)) / 2 ** 53

  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => word() & 255),
    below: (limit) => Math.floor(fraction() * limit),
    chance: (probability) => fraction() < probability,
    fork: () => seededRandom(word() * 2 ** 20 + (word() >>> 12)),
  }
}
