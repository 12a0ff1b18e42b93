/** Options of a dispatcher; times in ms. */
export interface DispatcherOptions {
  /** Names this dispatcher in its leases; unique among all that share the store. Drawn at random when absent. */
  readonly owner?: string
  /** POSTs in flight. */
  readonly slots: number
  readonly slotsPerTenant: number
  /** Per endpoint. Far below `slots`, else one endpoint that never answers takes all slots. */
  readonly slotsPerEndpoint: number
  /** Of `slots`: kept for tenants with nothing or little in flight. A quarter when absent. */
  readonly slotsInReserve: number
  /** POSTs in flight to endpoints of which only failures have been seen lately. */
  readonly slotsForSuspects: number
  /** Deliveries that may wait here under a lease, beyond those in flight. */
  readonly ready: number
  /** Of `ready`: kept for tenants that hold next to nothing here. An eighth when absent. */
  readonly readyInReserve: number
  readonly readyPerTenant: number
  readonly readyPerEndpoint: number
  /** Answers whose commits are under way; beyond it nothing new is sent, so that a stuck store bounds memory. */
  readonly unsettled: number
  /** Longer than the deadline by enough for the settle. */
  readonly leaseMs: number
  /** The whole exchange (interface, Delivery). */
  readonly deadlineMs: number
  /** How often to look for work that another process made. */
  readonly pollMs: number
  /** Bytes of an answer's body that the delivery log keeps. */
  readonly keepBytes: number
  /** Bytes of answers that the log keeps of one tenant in a burst; beyond it the first kilobyte of each. */
  readonly keepBurst: number
  /** By how many bytes an hour that refills. */
  readonly keepPerHour: number
}

export const defaultDispatcherOptions: DispatcherOptions = {
  slots: 256,
  slotsPerTenant: 128,
  slotsPerEndpoint: 16,
  slotsInReserve: 64,
  slotsForSuspects: 128,
  ready: 8_192,
  readyInReserve: 1_024,
  readyPerTenant: 6_144,
  readyPerEndpoint: 4_096,
  unsettled: 4_096,
  leaseMs: 30_000,
  deadlineMs: 10_000,
  pollMs: 1_000,
  keepBytes: 65_536,
  keepBurst: 8 * 1_048_576,
  keepPerHour: 1_048_576,
}

/** The defaults with these changes; throws a RangeError for options that contradict each other. */
export function dispatcherOptions(given: Partial<DispatcherOptions> = {}): DispatcherOptions {
  const { slots, ready } = { ...defaultDispatcherOptions, ...given }
  const reserves = { slotsInReserve: slots >> 2, readyInReserve: ready >> 3 }
  const options = { ...defaultDispatcherOptions, ...reserves, ...given }
  for (const [name, value] of Object.entries(options))
    if (name !== 'owner' && (!Number.isSafeInteger(value) || Number(value) < leastOf(name)))
      throw new RangeError(
        `dispatcher option ${name}: expected an integer of at least ${leastOf(name)}, got ${value}`,
      )
  if (options.slotsInReserve >= slots || options.readyInReserve >= ready)
    throw new RangeError(
      `dispatcher options: expected reserves below slots ${slots} and ready ${ready}, got slotsInReserve ${options.slotsInReserve} and readyInReserve ${options.readyInReserve}`,
    )
  if (options.leaseMs < options.deadlineMs + 1_000)
    throw new RangeError(
      `dispatcher option leaseMs: expected at least deadlineMs and 1000 ms for the settle, got ${options.leaseMs} with deadlineMs ${options.deadlineMs}`,
    )
  return options
}

function leastOf(name: string): number {
  return name === 'slotsInReserve' || name === 'readyInReserve' ? 0 : 1
}
