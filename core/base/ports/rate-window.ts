/** Counts of the last moments, in memory: no durable commit for a request. */
export interface RateWindow {
  /** Notes one request of `key` at `now` (ms) unless `limit` of them lie within `windowMs`. */
  hit(query: {
    readonly key: string
    readonly now: number
    readonly windowMs: number
    readonly limit: number
  }): { readonly allowed: boolean; readonly remaining: number; readonly resetAt: number }
  /** Notes what a request that was let in cost besides, as so many more of them, beyond the limit too. */
  charge(query: { readonly key: string; readonly now: number; readonly requests: number }): void
}
