const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** When what failed is tried again; times in ms. */
export interface RetrySchedule {
  /** From each failure to the next attempt. */
  readonly waits: readonly number[]
  /** The share of a wait that chance may add to it. */
  readonly jitter: number
  /** A last attempt this long after the first one; null where the waits are all there is. */
  readonly last: number | null
  /** The attempts of one round. */
  readonly most: number
}

/** The schedules as promised (interface, Retry schedule), written apart from the core that they judge. */
export const retrySchedules = {
  review: {
    waits: [
      5 * second,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
    ],
    jitter: 0.2,
    last: 72 * hour,
    most: 10,
  },
  legacy: { waits: [5 * second, 25 * second, 125 * second], jitter: 0, last: null, most: 4 },
  callback: {
    waits: [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour],
    jitter: 0.2,
    last: null,
    most: 7,
  },
  once: { waits: [], jitter: 0, last: null, most: 1 },
} as const satisfies Readonly<Record<string, RetrySchedule>>
