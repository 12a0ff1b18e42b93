/** Time as the core sees it; the only place where it asks. */
export interface Clock {
  /** Wall time, ms since the epoch. */
  now(): number
  /** Ms since an arbitrary start; never steps, so leases and deadlines are measured with it. */
  monotonic(): number
  /** Calls once after `ms`; the answer cancels. */
  after(ms: number, call: () => void): () => void
}
