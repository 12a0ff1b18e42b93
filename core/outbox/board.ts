import { createFairRing } from './fair-ring.ts'
import { atRest, createLane, type Flight, isSlow, isSuspect, type Lane } from './lane.ts'
import type { DispatcherOptions } from './options.ts'

/** Deliveries of one tenant in this dispatcher. */
interface Share {
  inFlight: number
  waiting: number
  /** Lanes with something to send that wait for one of the tenant's slots. */
  readonly parked: Set<Lane>
}

/** Deliveries that the claim under construction already asks for. */
interface Asked {
  readonly all: number
  readonly ofTenant: number
}

/** Whether a lane may use the reserve for quiet tenants; `has` counts the tenant's, `free` includes the reserve. */
export type ReserveRule = (
  lane: Lane,
  at: { readonly has: number; readonly free: number },
) => boolean

const nothingAsked: Asked = { all: 0, ofTenant: 0 }
/**
 * A tenant with nothing in flight may take one; another may as long as it holds at most an eighth of what is free. Slow
 * or failing endpoints may not: each would hold a slot for seconds.
 */
const mayUseReserveOf: ReserveRule = (lane, { has, free }) =>
  !isSlow(lane) && !isSuspect(lane) && has < Math.max(1, free >> 3)

/** Lanes remembered before those at rest are forgotten. */
const rememberedLanes = 16_384

/** The lanes, the slots, and whose turn is next: tenants in rotation, then each tenant's endpoints in rotation. */
export function createBoard(options: DispatcherOptions, mayUse: ReserveRule = mayUseReserveOf) {
  const lanes = new Map<string, Lane>()
  const shares = new Map<string, Share>()
  const ring = createFairRing<Lane>((lane) => lane.tenantId)
  const suspects = createFairRing<Lane>((lane) => lane.tenantId)
  /** Lanes that may not use the reserve; they take the other slots in turn. */
  const outside = createFairRing<Lane>((lane) => lane.tenantId)
  const holding = new Set<Lane>()
  const promised = new Set<Lane>()
  let inFlight = 0
  let waiting = 0
  let suspectsInFlight = 0

  function share(tenantId: string): Share {
    let found = shares.get(tenantId)
    if (!found) {
      found = { inFlight: 0, waiting: 0, parked: new Set() }
      shares.set(tenantId, found)
    }
    return found
  }

  function suspectRoom(): number {
    return Math.max(0, options.slotsForSuspects - suspectsInFlight - suspects.size)
  }

  function waitingOf(lane: Lane): number {
    return shares.get(lane.tenantId)?.waiting ?? 0
  }

  function openRoom(): number {
    return Math.max(0, options.ready - options.readyInReserve - waiting)
  }

  function forgetLanesAtRest(): void {
    for (const [id, lane] of lanes) if (atRest(lane)) lanes.delete(id)
    for (const [id, { inFlight, waiting, parked }] of shares)
      if (inFlight + waiting + parked.size === 0) shares.delete(id)
  }

  /** Whether the lane itself is ready; slots that it shares with others aside. */
  function couldSend(lane: Lane): boolean {
    const limit = Math.min(lane.window, options.slotsPerEndpoint)
    return lane.waiting.length > 0 && lane.closures === 0 && lane.inFlight < limit
  }

  function wake(lane: Lane): void {
    if (couldSend(lane)) ring.add(lane)
  }

  function mayUseReserve(lane: Lane, of: Share): boolean {
    return mayUse(lane, { has: of.inFlight, free: options.slots - inFlight })
  }

  function hasOpenSlot(): boolean {
    return options.slots - inFlight > options.slotsInReserve
  }

  /** The next lane that may have a slot; those that wait for a slot outside of the reserve keep their turn. */
  function nextLane(): Lane | undefined {
    for (let lane = ring.take(); lane; lane = ring.take()) {
      if (mayUseReserve(lane, share(lane.tenantId))) {
        outside.delete(lane)
        return lane
      }
      if (hasOpenSlot() && outside.size === 0) return lane
      outside.add(lane)
    }
    return hasOpenSlot() ? outside.take() : undefined
  }

  function unpark(of: Share): void {
    for (const lane of of.parked) {
      of.parked.delete(lane)
      if (!couldSend(lane)) continue
      ring.add(lane)
      return
    }
  }

  function unparkSuspect(): void {
    for (let lane = suspects.take(); lane; lane = suspects.take()) {
      if (!couldSend(lane)) continue
      ring.add(lane)
      return
    }
  }

  function taken(flight: Flight): void {
    const { lane } = flight
    waiting--
    share(lane.tenantId).waiting--
    if (lane.waiting.length === 0) holding.delete(lane)
  }

  function freed(flight: Flight): void {
    const { lane } = flight
    const of = share(lane.tenantId)
    lane.inFlight--
    of.inFlight--
    inFlight--
    if (flight.suspect) {
      flight.suspect = false
      suspectsInFlight--
      unparkSuspect()
    }
    unpark(of)
    const next = outside.takeOf(
      lane.tenantId,
      (other) => couldSend(other) && mayUseReserve(other, of),
    )
    if (next) ring.add(next)
  }

  function held(lane: Lane): void {
    waiting++
    share(lane.tenantId).waiting++
    holding.add(lane)
    wake(lane)
  }

  return {
    get inFlight() {
      return inFlight
    },
    get waiting() {
      return waiting
    },
    /** How many more suspects may be tried at the same time. */
    get suspectRoom() {
      return suspectRoom()
    },
    lane(endpointId: string, tenantId: string): Lane {
      let lane = lanes.get(endpointId)
      if (!lane) {
        if (lanes.size >= rememberedLanes) forgetLanesAtRest()
        lane = createLane(endpointId, tenantId)
        lanes.set(endpointId, lane)
      }
      // An offer comes before the tenant is known; nothing waits in the lane yet.
      if (tenantId !== '' && lane.tenantId !== tenantId) lane.tenantId = tenantId
      return lane
    },
    /** Free room outside the reserve for quiet tenants. */
    get openRoom() {
      return openRoom()
    },
    /** Whether the lane's tenant holds little enough to use the reserve. */
    isQuiet: (lane: Lane) => mayUse(lane, { has: waitingOf(lane), free: options.ready - waiting }),
    /** How many more deliveries the lane may hold, beyond those already asked for. */
    room(lane: Lane, asked = nothingAsked): number {
      if (lane.closures > 0) return 0
      const load = lane.waiting.length + lane.inFlight + lane.promised
      if (isSuspect(lane)) return load === 0 && suspectRoom() > 0 ? 1 : 0
      const has = waitingOf(lane) + asked.ofTenant
      const open = Math.min(openRoom() - asked.all, options.readyPerTenant - has)
      const free = options.ready - waiting - asked.all
      const kept = free > 0 && mayUse(lane, { has, free }) ? 1 : 0
      return Math.max(0, Math.min(lane.window - load, Math.max(kept, open)))
    },
    /** Notes a lease offered for the lane; it counts until the delivery comes or the offer is forgotten. */
    promise(lane: Lane): void {
      lane.promised++
      promised.add(lane)
    },
    /** A leased delivery waits for its turn. */
    hold(flight: Flight): void {
      flight.lane.waiting.push(flight)
      held(flight.lane)
    },
    /** Assigns the next delivery a slot; undefined when none may be sent now. */
    take(): Flight | undefined {
      if (inFlight >= options.slots) return undefined
      for (let lane = nextLane(); lane; lane = nextLane()) {
        const of = share(lane.tenantId)
        if (!couldSend(lane)) {
          if (of.inFlight < options.slotsPerTenant) unpark(of)
          continue
        }
        if (of.inFlight >= options.slotsPerTenant) {
          of.parked.add(lane)
          continue
        }
        const suspect = isSuspect(lane)
        if (suspect && suspectsInFlight >= options.slotsForSuspects) {
          suspects.add(lane)
          continue
        }
        const flight = lane.waiting.shift()
        if (!flight) continue
        taken(flight)
        flight.suspect = suspect
        if (suspect) suspectsInFlight++
        lane.inFlight++
        of.inFlight++
        inFlight++
        wake(lane)
        return flight
      }
      return undefined
    },
    release(flight: Flight): void {
      freed(flight)
      wake(flight.lane)
    },
    /** Frees the slot of a delivery that was not sent; the delivery keeps its place. */
    putBack(flight: Flight): void {
      freed(flight)
      flight.lane.waiting.unshift(flight)
      held(flight.lane)
    },
    /** Stops sending to the lane until it was opened as often as closed. */
    close(lane: Lane): void {
      lane.closures++
    },
    open(lane: Lane): void {
      lane.closures--
      wake(lane)
    },
    /** Removes waiting deliveries whose lease ends before `monotonic`; all of them for infinity. */
    overdue(monotonic: number): readonly Flight[] {
      const found: Flight[] = []
      for (const lane of holding)
        for (let next = lane.waiting.first; next && next.leaseEnds < monotonic; ) {
          lane.waiting.shift()
          taken(next)
          found.push(next)
          next = lane.waiting.first
        }
      return found
    },
    /** Forgets offers that led to no commit. */
    forgetPromises(): void {
      for (const lane of promised) lane.promised = 0
      promised.clear()
    },
  }
}

export type Board = ReturnType<typeof createBoard>
