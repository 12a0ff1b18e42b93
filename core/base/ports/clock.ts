/**
 * Time as the core sees it; the only place where it asks. Clocks of processes on one store may differ by at most a
 * minute, or one that is behind ends windows of missed events too early.
 */
export interface Clock {
  /** Wall time, ms since the epoch. */
  now(): number
  /** Ms since an arbitrary start; never steps, so leases and deadlines are measured with it. */
  monotonic(): number
  /** Calls once after `ms`; the answer cancels. */
  after(ms: number, call: () => void): () => void
}
