/** What a server under attack measures of itself since it was asked to begin. */
export interface Figures {
  /** Resident bytes at the beginning, with a young generation of full size, after a collection of garbage. */
  readonly rssBefore: number
  /** The most resident bytes since. */
  readonly rssPeak: number
  /** What the process held when it was largest. */
  readonly atPeak: NodeJS.MemoryUsage
  /** The longest that the main thread's event loop was held by the process itself, in ms. */
  readonly lagMs: number
  /** Processor time of the main thread, in ms. */
  readonly usedMs: number
}

/** Asked over the channel; each is answered with the figures so far. */
export type Question = 'begin' | 'figures'
