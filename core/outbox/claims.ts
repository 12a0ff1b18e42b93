import type { Versioned } from '../base/ports/store.ts'
import type { Board } from './board.ts'
import { type DispatcherContext, reportFault } from './context.ts'
import { createFairRing } from './fair-ring.ts'
import { isSuspect, type Lane } from './lane.ts'
import { type Delivery, deliveries } from './records.ts'

const lanesPerLook = 256
const rowsPerClaim = 1_024
/** Enough lanes to choose from; the look goes on when some have had their turn. */
const enoughLanes = 1_024
const pauseAfterFaultMs = 500

/** Claims due deliveries from the store, as many as there is room for. */
export function createClaims(
  context: DispatcherContext,
  board: Board,
  on: {
    /** A claimed delivery and the monotonic end of its lease. */
    claimed(lane: Lane, found: Versioned<Delivery>, leaseEnds: number): void
    /** The earliest due time in the store after a look that left nothing to claim, or null. */
    nextDue(due: number | null): void
    mayClaim(): boolean
    rested(): void
  },
) {
  const { clock, time, options, owner } = context
  const { store } = context.ledger
  const hungry = createFairRing<Lane>((lane) => lane.tenantId)
  /** Lanes of tenants that may use the reserve: they have room when all others wait. */
  const hungryQuiet = createFairRing<Lane>((lane) => lane.tenantId)
  /** Kept apart, so that a claim does not walk thousands of endpoints that never answer. */
  const hungrySuspects = createFairRing<Lane>((lane) => lane.tenantId)
  let looking = false
  let after = ''
  let busy = false
  let again = false

  /** The lane has due work in the store; it is claimed when there is room enough to be worth it. */
  function want(lane: Lane): void {
    lane.more = true
    const room = board.room(lane)
    if (room * 2 >= lane.window || (room > 0 && board.isQuiet(lane))) queue(lane)
  }

  /** A slot of the lane is free, and so perhaps room for others of its tenant. */
  function freed(lane: Lane): void {
    if (lane.more) want(lane)
    promote(lane.tenantId)
  }

  /** A delivery of the tenant ended: another of its lanes may now use the reserve. */
  function promote(tenantId: string): void {
    const lane = hungry.takeOf(tenantId, board.isQuiet)
    if (lane) hungryQuiet.add(lane)
  }

  function queue(lane: Lane): void {
    lane.more = true
    if (!isSuspect(lane)) addHungry(lane)
    else if (hungrySuspects.size < enoughLanes) hungrySuspects.add(lane)
  }

  function addHungry(lane: Lane): void {
    const [to, from] = board.isQuiet(lane) ? [hungryQuiet, hungry] : [hungry, hungryQuiet]
    from.delete(lane)
    to.add(lane)
  }

  async function look(): Promise<void> {
    while (looking && hungry.size + hungryQuiet.size < enoughLanes) {
      const page = await store.lanes({
        in: deliveries.name,
        now: time.now(),
        after,
        take: lanesPerLook,
      })
      for (const { lane, tenant } of page) queue(board.lane(lane, tenant ?? ''))
      looking = page.length === lanesPerLook
      after = looking ? (page.at(-1)?.lane ?? '') : ''
    }
  }

  function choose(): { readonly lane: Lane; readonly take: number }[] {
    const asks: { lane: Lane; take: number }[] = []
    const asked = new Map<string, number>()
    let all = 0
    const most = Math.min(rowsPerClaim, options.ready - board.waiting)
    const share = Math.max(1, Math.floor(most / Math.max(1, hungry.size + hungryQuiet.size)))
    const ask = (lane: Lane): boolean => {
      const ofTenant = asked.get(lane.tenantId) ?? 0
      const take = Math.min(board.room(lane, { all, ofTenant }), share, most - all)
      // Without room it is queued again by a freed slot of its own, or by the next look.
      if (take === 0) return false
      lane.more = false
      asks.push({ lane, take })
      asked.set(lane.tenantId, ofTenant + take)
      all += take
      return true
    }
    for (let turns = hungryQuiet.size; turns > 0 && all < most; turns--) {
      const lane = hungryQuiet.take()
      if (lane && !(board.isQuiet(lane) && ask(lane))) hungry.add(lane)
    }
    const open = Math.min(most, board.openRoom)
    for (let turns = hungry.size; turns > 0 && all < open; turns--) {
      const lane = hungry.take()
      if (lane && !ask(lane) && board.isQuiet(lane)) hungry.add(lane)
    }
    for (let turns = board.suspectRoom; turns > 0 && all < open; turns--) {
      const lane = hungrySuspects.take()
      if (lane) ask(lane)
    }
    return asks
  }

  async function claim(): Promise<boolean> {
    const asks = choose()
    if (asks.length === 0) return false
    const mark = clock.monotonic()
    const found = (await store.claim({
      in: deliveries.name,
      asks: asks.map(({ lane, take }) => ({ lane: lane.endpointId, take })),
      now: time.now(),
      leaseUntil: time.leaseBase() + options.leaseMs,
      owner,
    })) as readonly Versioned<Delivery>[]
    const got = new Map<string, number>()
    for (const row of found) {
      const { endpointId, tenantId, status, attempts, family } = row.row
      // Claimed before and never settled: its dispatcher crashed or could not write.
      if (status === 'pending' && attempts > 1)
        context.observer.event('delivery.lease_lost', { family })
      got.set(endpointId, (got.get(endpointId) ?? 0) + 1)
      on.claimed(board.lane(endpointId, tenantId), row, mark + options.leaseMs)
    }
    for (const { lane, take } of asks) {
      if (got.get(lane.endpointId) !== take) promote(lane.tenantId)
      else if (board.room(lane) > 0) queue(lane)
      else lane.more = true
    }
    context.observer.event('outbox.claimed', { lanes: asks.length, deliveries: found.length })
    return true
  }

  async function round(): Promise<void> {
    again = false
    const looked = looking
    await look()
    let claimed = on.mayClaim()
    while (claimed) claimed = (await claim()) && on.mayClaim()
    if (looked && !looking) on.nextDue(await store.nextDue({ in: deliveries.name }))
  }

  async function rounds(): Promise<void> {
    try {
      do await round()
      while (on.mayClaim() && (again || (looking && hungry.size + hungryQuiet.size < enoughLanes)))
    } catch (error) {
      reportFault(context, 'claim', error)
      looking = true
      clock.after(pauseAfterFaultMs, run)
    }
    busy = false
    on.rested()
  }

  /** Claims until nothing is wanted or there is no room. */
  function run(): void {
    again = true
    if (busy || !on.mayClaim()) return
    busy = true
    void rounds()
  }

  return {
    get busy() {
      return busy
    },
    /** Whether a lane with due work waits for room. */
    get wanting() {
      return (
        hungry.size + hungryQuiet.size > 0 || (hungrySuspects.size > 0 && board.suspectRoom > 0)
      )
    },
    want,
    freed,
    /** Lanes anywhere may have due work: the next round goes through all of them. */
    look: () => {
      looking = true
    },
    run,
  }
}
