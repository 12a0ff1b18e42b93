import { bytesToHex } from '@noble/hashes/utils.js'
import type { Clock } from '../base/ports/clock.ts'
import type { Observer } from '../base/ports/observer.ts'
import type { Random } from '../base/ports/random.ts'
import type { ChangeSet, Put } from '../base/ports/store.ts'
import type { Transport } from '../base/ports/transport.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import { createAlarm } from './alarm.ts'
import { createBoard } from './board.ts'
import { createClaims } from './claims.ts'
import type { DispatcherContext } from './context.ts'
import { createEndpoints } from './endpoints.ts'
import type { Intake, Kind, Outcomes } from './kind.ts'
import type { Flight } from './lane.ts'
import { type DispatcherOptions, dispatcherOptions } from './options.ts'
import { createOutboxTime } from './outbox-time.ts'
import { createPump } from './pump.ts'
import { type Delivery, deliveries, type Message, messages } from './records.ts'
import { createSettler } from './settler.ts'
import { createWatch } from './watch.ts'

// How its parts call each other. A delivery comes in by `take`, already leased, and leaves by the settler:
//
//   a commit of this process, pre-leased ─┐
//   claims ──────────── on.claimed ───────┴─► take ─► board ─► pump ─► sender ─► transport
//                                                              │  ▲      │
//                                                              │  └ on.land: the answer; on.unsent: send it later
//                                                              ▼         on.mayStill? asks the pump before the POST
//                                                           settler ─► commit under the lease's fencing token
//
//   pump   on.freed    the lane has a free slot       → claims take more of it
//          on.lull     few slots are free             → alarm: fill them within 20 ms
//          on.settled  what became of a delivery      → watch: who waits for a test
//          on.maySend? claims: on.mayClaim?           → false from `drain` on
//   claims on.nextDue  the earliest due time          → alarm: look again then
//   settler's callback a commit ended                 → pump: resume when held back by backpressure
//   all    on.rested   the part has nothing under way → `idle` resolves when none has
//
// The alarm is the only timer. It rings `ring`: sweep each second, look for due work each poll or at a due time.

/** Sends the deliveries of an outbox; see the diagram above. */
export interface Dispatcher {
  /** Its name in leases. */
  readonly owner: string
  /** Lets fan-outs of this process pre-lease. */
  readonly intake: Intake
  readonly outcomes: Outcomes
  start(): void
  /** Stops claiming, waits at most `withinMs` for deliveries in flight, and gives unsent leases back. */
  drain(withinMs: number): Promise<void>
  /** Looks for due work now, ahead of the next poll. */
  tick(): void
  /** Resolves when nothing is under way: no claim, no POST, no settle. */
  idle(): Promise<void>
}

const sweepMs = 1_000
const fillWithinMs = 20
/** Minimum time between two looks for due work. */
const lookApartMs = 20

/** One dispatcher of one process; any number may share a store. */
export function createDispatcher(ports: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly random: Random
  readonly transport: Transport
  readonly kinds: readonly Kind[]
  readonly observer: Observer
  readonly options?: Partial<DispatcherOptions>
}): Dispatcher {
  const { ledger, clock, random } = ports
  const options = dispatcherOptions(ports.options)
  const owner = options.owner ?? `dispatcher-${bytesToHex(random.bytes(10))}`
  const time = createOutboxTime(clock, options.leaseMs)
  const context: DispatcherContext = {
    ...ports,
    kinds: new Map(ports.kinds.map((kind) => [kind.name, kind])),
    options,
    time,
    owner,
  }
  const board = createBoard(options)
  const endpoints = createEndpoints(context)
  const settler = createSettler(context, () => {
    // Resumes what backpressure held back; a free slot reports itself by `freed`.
    if (settler.pending === options.unsettled - 1) pump.run()
    rested()
  })
  const watch = createWatch(clock)
  const pump = createPump(
    context,
    { board, settler, endpoints },
    {
      maySend: () => taking,
      freed: (lane) => {
        claims.freed(lane)
        if (claims.wanting) claims.run()
      },
      lull: () => alarm.within(fillWithinMs),
      settled: watch.tell,
      rested,
    },
  )
  const claims = createClaims(context, board, {
    mayClaim: () => taking,
    claimed: (lane, found, leaseEnds) =>
      take({ lane, found, leaseEnds, body: null, suspect: false }),
    nextDue: (due) => {
      if (due !== null && due > time.now()) wakeAt(due)
    },
    rested,
  })
  const alarm = createAlarm(clock, ring)
  let unsubscribe = () => {}
  let taking = false
  let dueAt = Number.POSITIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let sweptAt = Number.NEGATIVE_INFINITY
  let resting: (() => void)[] = []

  function isIdle(): boolean {
    const underWay = board.inFlight + settler.pending + board.waiting
    return underWay === 0 && !claims.busy && !pump.busy
  }

  function rested(): void {
    if (resting.length === 0 || !isIdle()) return
    const calls = resting
    resting = []
    for (const call of calls) call()
  }

  function wakeAt(due: number): void {
    if (due >= dueAt) return
    dueAt = due
    alarm.within(untilDue())
  }

  function untilDue(): number {
    return Math.max(dueAt - time.now(), lookedAt + lookApartMs - clock.monotonic())
  }

  function look(): void {
    lookedAt = clock.monotonic()
    dueAt = Number.POSITIVE_INFINITY
    claims.look()
    claims.run()
  }

  /** Each second: ends exchanges past their deadline, gives back leases that end too soon, forgets unused offers. */
  function sweep(now: number): void {
    sweptAt = now
    pump.reap()
    board.forgetPromises()
    for (const flight of board.overdue(now + options.deadlineMs))
      void settler.giveBack(flight.found, time.now())
  }

  function ring(): void {
    const now = clock.monotonic()
    if (now - sweptAt >= sweepMs) sweep(now)
    if (board.waiting > 0) pump.run()
    if (taking && (now - lookedAt >= options.pollMs || time.now() >= dueAt)) look()
    const active = !taking || board.inFlight + board.waiting > 0
    const untilLook = taking ? lookedAt + options.pollMs - now : sweepMs
    alarm.within(active ? Math.min(sweepMs, untilLook) : untilLook)
    // One-shot alarm: re-arm for the pending due time.
    if (taking && dueAt < Number.POSITIVE_INFINITY) alarm.within(untilDue())
  }

  function take(flight: Flight): void {
    if (!taking) {
      void settler.giveBack(flight.found, time.now())
      return
    }
    board.hold(flight)
    alarm.within(sweepMs)
    pump.run()
  }

  /** A delivery owed by a commit of this process: already leased to this dispatcher, claimable now, or scheduled. */
  function owed(put: Put, set: ChangeSet): void {
    const row = put.row as Delivery
    if (row.due === null) return
    if (put.leasedBy === undefined && row.due > time.now()) {
      wakeAt(row.due)
      return
    }
    const lane = board.lane(row.endpointId, row.tenantId)
    if (put.leasedBy === undefined) {
      claims.want(lane)
      claims.run()
    }
    if (put.leasedBy !== owner) return
    lane.promised = Math.max(0, lane.promised - 1)
    const leaseMs = Math.min(options.leaseMs, row.due - time.leaseBase())
    take({
      lane,
      found: { row, version: (put.was?.version ?? 0) + 1, leasedBy: owner },
      body: bodyIn(set, row.messageId),
      leaseEnds: clock.monotonic() + leaseMs,
      suspect: false,
    })
  }

  function committed(set: ChangeSet): void {
    endpoints.committed(set)
    for (const put of set.puts ?? []) if (put.in === deliveries.name) owed(put, set)
  }

  return {
    owner,
    intake: {
      offer(endpointId) {
        if (!taking || settler.pending >= options.unsettled) return null
        const lane = board.lane(endpointId, '')
        // Older deliveries in the store keep half of the room.
        const kept = lane.more ? lane.window >> 1 : 0
        if (board.room(lane) <= kept) return null
        board.promise(lane)
        return { owner, until: time.leaseBase() + options.leaseMs }
      },
    },
    outcomes: watch,
    start() {
      if (taking) return
      taking = true
      unsubscribe = ledger.subscribe(committed)
      ring()
    },
    async drain(withinMs) {
      taking = false
      const unsent = board.overdue(Number.POSITIVE_INFINITY)
      for (const { found } of unsent) void settler.giveBack(found, time.now())
      let cancel = () => {}
      await Promise.race([
        idle(),
        new Promise<void>((done) => {
          cancel = clock.after(withinMs, done)
        }),
      ])
      cancel()
      alarm.stop()
      unsubscribe()
    },
    tick: () => {
      if (taking) look()
    },
    idle,
  }

  function idle(): Promise<void> {
    return new Promise((resolve) => {
      resting.push(resolve)
      rested()
    })
  }
}

function bodyIn(set: ChangeSet, messageId: string): Uint8Array | null {
  for (const put of set.puts ?? []) {
    const message = put.row as Message
    if (put.in === messages.name && message.messageId === messageId) return message.body
  }
  return null
}
