/** Below it each millisecond has a bucket of its own. */
const exactMs = 64
/** Buckets from a power of two to the next. */
const perOctave = 32

/** Counts of latencies by bucket, in the order of buckets; few have any. */
export type Latencies = readonly (readonly [bucket: number, count: number])[]

/** The bucket of a latency in whole ms: exact below 64 ms, then of at most a thirty-second of it. */
export function bucketOf(ms: number): number {
  if (ms < exactMs) return ms
  const octave = Math.floor(Math.log2(ms))
  const width = 2 ** octave / perOctave
  const within = Math.floor((ms - 2 ** octave) / width)
  return exactMs + (octave - Math.log2(exactMs)) * perOctave + within
}

/** The least latency of a bucket, in ms. */
export function leastOf(bucket: number): number {
  if (bucket < exactMs) return bucket
  const at = bucket - exactMs
  const octave = Math.floor(at / perOctave) + Math.log2(exactMs)
  return 2 ** octave + (at % perOctave) * (2 ** octave / perOctave)
}

/** The counts with more latencies, in whole ms. */
export function withLatencies(counts: Latencies, more: readonly number[]): Latencies {
  const all = new Map(counts)
  for (const ms of more) {
    const bucket = bucketOf(ms)
    all.set(bucket, (all.get(bucket) ?? 0) + 1)
  }
  return [...all].sort(([a], [b]) => a - b)
}

/** The latency that this share of them does not exceed, by its bucket; null where there are none. */
export function percentile(counts: Latencies, share: number): number | null {
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.ceil(total * share)
  for (const [bucket, count] of counts) {
    left -= count
    if (left <= 0) return Math.floor(leastOf(bucket))
  }
  return null
}
