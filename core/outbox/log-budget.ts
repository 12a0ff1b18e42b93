/** Bytes of an answer that the log always keeps, so that it shows why an endpoint refused. */
export const alwaysKept = 1_024

const hourMs = 3_600_000
/** Beyond it, tenants whose buckets are full again are forgotten. */
const mostBuckets = 1_000

interface Bucket {
  left: number
  /** Monotonic ms of `left`. */
  at: number
}

/** Bytes of answers that the delivery log keeps of each tenant, as a token bucket in this process. */
export function createLogBudget(
  { keepBurst, keepPerHour }: { readonly keepBurst: number; readonly keepPerHour: number },
  monotonic: () => number,
) {
  const buckets = new Map<string, Bucket>()

  function refilled({ left, at }: Bucket, now: number): number {
    return Math.min(keepBurst, left + ((now - at) / hourMs) * keepPerHour)
  }

  function forgetFull(now: number): void {
    for (const [tenantId, bucket] of buckets)
      if (refilled(bucket, now) === keepBurst) buckets.delete(tenantId)
  }

  return {
    /** How many of an answer's bytes are kept; the rest is cut, as what is beyond `keepBytes`. */
    take(tenantId: string, wanted: number): number {
      if (wanted <= alwaysKept) return wanted
      const now = monotonic()
      if (buckets.size >= mostBuckets) forgetFull(now)
      const bucket = buckets.get(tenantId) ?? { left: keepBurst, at: now }
      const left = refilled(bucket, now)
      const kept = Math.max(alwaysKept, Math.min(wanted, Math.floor(left)))
      buckets.set(tenantId, { left: Math.max(0, left - kept), at: now })
      return kept
    },
  }
}
