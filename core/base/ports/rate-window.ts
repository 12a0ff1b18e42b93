/** Rolling windows that count requests, in memory: a request must not cost a durable commit. */
export interface RateWindow {
  /** Notes one request of `key` at `now` (ms) unless `limit` of them lie within `windowMs`. */
  hit(query: {
    readonly key: string
    readonly now: number
    readonly windowMs: number
    readonly limit: number
  }): { readonly allowed: boolean; readonly remaining: number; readonly resetAt: number }
  /** Adds the further cost of an allowed request, counted in requests; may exceed the limit. */
  charge(query: { readonly key: string; readonly now: number; readonly requests: number }): void
}
