import { interruptedRecords } from './attempt-record.ts'
import type { Board } from './board.ts'
import { type DispatcherContext, reportFault } from './context.ts'
import type { BatchEndpoints, Endpoints } from './endpoints.ts'
import type { Endpoint, Kind } from './kind.ts'
import { type Flight, type Lane, learn, widen } from './lane.ts'
import { begin, giveUp, pause } from './machine.ts'
import type { AttemptRecord, Delivery } from './records.ts'
import { createSender, type Landed } from './sender.ts'
import type { Settler } from './settler.ts'

const batchSize = 64
/** Slots are refilled once this many are free, or a quarter of those in use: each refill costs a read. */
const fillTogether = 16
const pauseAfterFaultMs = 500
/** Pause of a delivery after an internal fault. */
const setAsideMs = 60_000

/** Sends waiting deliveries: picks them in turn, loads their endpoints, posts and settles them. */
export function createPump(
  context: DispatcherContext,
  parts: { readonly board: Board; readonly settler: Settler; readonly endpoints: Endpoints },
  on: {
    maySend(): boolean
    /** The lane has a free slot. */
    freed(lane: Lane): void
    /** Few slots are free: refilling them can wait a little. */
    lull(): void
    settled(delivery: Delivery, record: AttemptRecord | null): void
    /** The pump has nothing under way. */
    rested(): void
  },
) {
  const { clock, options, time, kinds, observer } = context
  const { board, settler, endpoints } = parts
  const sender = createSender(context, {
    land,
    mayStill: ({ flight, loaded }) => isOpen(flight) && !loaded.outdated(),
    unsent(flight) {
      holdBack(flight)
      run()
    },
  })
  let busy = false
  let again = false
  let freedSlots = 0

  function free(flight: Flight): void {
    board.release(flight)
    freedSlots++
    on.freed(flight.lane)
    if (board.waiting === 0) return
    if (freedSlots >= fillTogether || freedSlots * 3 >= board.inFlight) run()
    else on.lull()
  }

  function returnUnsent(flight: Flight, due: number): void {
    free(flight)
    void settler.giveBack(flight.found, due)
  }

  /** Whether a POST that starts now ends within the lease. */
  function outlasts(flight: Flight): boolean {
    return clock.monotonic() + options.deadlineMs <= flight.leaseEnds
  }

  /** Whether it may still be sent: the dispatcher runs, the lease outlasts the POST, the lane is open. */
  function isOpen(flight: Flight): boolean {
    return on.maySend() && outlasts(flight) && flight.lane.closures === 0
  }

  /** A delivery that may not be sent now waits in its place, or is given back to the store. */
  function holdBack(flight: Flight): void {
    if (on.maySend() && outlasts(flight)) board.putBack(flight)
    else returnUnsent(flight, time.now())
  }

  function pick(): readonly Flight[] {
    const batch: Flight[] = []
    freedSlots = 0
    while (batch.length < batchSize && settler.pending < options.unsettled && on.maySend()) {
      const flight = board.take()
      if (!flight) break
      if (outlasts(flight)) batch.push(flight)
      else returnUnsent(flight, time.now())
    }
    return batch
  }

  async function load(batch: readonly Flight[]): Promise<BatchEndpoints> {
    let loaded = await endpoints.load(batch)
    while (loaded.outdated()) loaded = await endpoints.load(batch)
    return loaded
  }

  function launch(flight: Flight, loaded: BatchEndpoints, now: number): void {
    const { found, body } = flight
    const kind = kinds.get(found.row.kind)
    const endpoint = loaded.of(flight)
    if (!isOpen(flight)) {
      holdBack(flight)
      return
    }
    if (!kind) throw new Error(`no kind ${JSON.stringify(found.row.kind)} is registered`)
    const begun = begin(found.row, now)
    if (endpoint?.paused) conclude(flight, kind, endpoint, pause(found.row, now))
    else if (!begun.send) conclude(flight, kind, endpoint, begun.after)
    else if (!body)
      // `admits` was not asked, so no consequence may concern the endpoint.
      conclude(flight, kind, undefined, giveUp(found.row, now))
    else if (!endpoint?.admits(found.row)) conclude(flight, kind, endpoint, giveUp(found.row, now))
    else sender.send(flight, body, { kind, endpoint, loaded })
  }

  /** An endpoint that can't be read must not block the batch: halves it down to one lane, which then waits a moment. */
  async function launchApart(batch: readonly Flight[], error: unknown): Promise<void> {
    const [first] = batch
    if (!first) return
    const { lane } = first
    if (batch.some((flight) => flight.lane !== lane)) {
      const middle = batch.length >> 1
      await launchAll(batch.slice(0, middle))
      await launchAll(batch.slice(middle))
      return
    }
    reportFault(context, 'endpoints', error)
    board.close(lane)
    for (const flight of batch.toReversed()) holdBack(flight)
    clock.after(pauseAfterFaultMs, () => {
      board.open(lane)
      run()
    })
  }

  async function launchAll(batch: readonly Flight[]): Promise<void> {
    let loaded: BatchEndpoints
    try {
      loaded = await load(batch)
    } catch (error) {
      await launchApart(batch, error)
      return
    }
    const now = time.now()
    for (const flight of batch)
      try {
        launch(flight, loaded, now)
      } catch (error) {
        reportFault(context, 'launch', error)
        returnUnsent(flight, now + setAsideMs)
      }
  }

  async function loop(): Promise<void> {
    do {
      again = false
      for (let batch = pick(); batch.length > 0; batch = pick()) await launchAll(batch)
    } while (again)
    busy = false
    on.rested()
  }

  /** Settles without a POST: the round is over, or waits for its last attempt. */
  function conclude(
    flight: Flight,
    kind: Kind,
    endpoint: Endpoint | undefined,
    after: Delivery,
  ): void {
    const { found, leaseEnds } = flight
    widen(flight.lane, options)
    free(flight)
    const settled = { before: found.row, after, answer: null, endpoint: endpoint ?? null }
    const interrupted = interruptedRecords(found.row, after, clock.now(), context.random)
    const work = { found, kind, settled, record: null, interrupted, leaseEnds }
    void settler.settle(work).then((result) => {
      if (result === 'settled') on.settled(after, null)
    })
  }

  /** The answer frees the slot; the commit follows. */
  function land({ sent, result, after, record, gone }: Landed): void {
    const { flight, kind, endpoint } = sent
    const { lane, found, leaseEnds } = flight
    learn(lane, record.outcome === 'delivered', record.latencyMs, options)
    if (gone) board.close(lane)
    observer.event('delivery.attempted', {
      family: after.family,
      outcome: record.outcome,
      status: record.responseStatus,
      error: result.kind === 'error' ? (result.operators ?? result).error : null,
      attempt: record.attempt,
      latencyMs: record.latencyMs,
    })
    free(flight)
    const settled = { before: found.row, after, answer: result, endpoint }
    // The lane stays closed until the 410 is committed, else it would be asked again.
    const until = gone ? Number.POSITIVE_INFINITY : leaseEnds
    const interrupted = interruptedRecords(found.row, after, record.startedAt, context.random)
    const work = { found, kind, settled, record, interrupted, leaseEnds: until }
    void settler.settle(work).then((ending) => {
      if (gone) {
        board.open(lane)
        run()
      }
      if (ending === 'settled') on.settled(after, record)
    })
  }

  function run(): void {
    again = true
    if (busy) return
    busy = true
    // Deferred to the end of the turn: a group commit reports its sets one by one.
    void Promise.resolve().then(loop)
  }

  return {
    get busy() {
      return busy
    },
    run,
    /** Ends exchanges that the transport forgot. */
    reap: sender.reap,
  }
}
