import type { Clock } from '../../base/ports/clock.ts'
import type { Observer } from '../../base/ports/observer.ts'
import type { ChangeSet, Versioned } from '../../base/ports/store.ts'
import { answer, commit, type Ledger } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { Owing, WorkHandler, WorkStep } from './handler.ts'
import { schedule, type WorkItem, workItems } from './records.ts'
import { shareSlots } from './turns.ts'

export interface RunnerOptions {
  /** Names this process in leases. */
  readonly owner: string
  /** Items that run concurrently; no kind takes more than half of them. Default 32. */
  readonly concurrency?: number
  /** How long a run may take before another process takes its item over. Default 60 s. */
  readonly leaseMs?: number
  /** The longest sleep, for work that other processes schedule. Default 5 s. */
  readonly pollMs?: number
}

export interface Runner {
  /** Does what falls due from now on, until `drain`. */
  start(): void
  /**
   * Stops claiming and waits at most `withinMs` for running items; unfinished ones become due when their lease ends.
   */
  drain(withinMs: number): Promise<void>
  /** Runs all due items, those scheduled during the run included; resolves with the number that succeeded. */
  tick(): Promise<number>
}

/** Wait after the n-th failure in a row: 1 s, doubled each time, at most 10 minutes. */
export function retryDelay(claims: number): number {
  return Math.min(1000 * 2 ** Math.min(claims - 1, 10), 600_000)
}

/** The runner of due work of a process. Several processes may share a store: each item is leased to one at a time. */
export function createRunner(deps: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly handlers: readonly WorkHandler[]
  readonly observer: Observer
  /** What due work owes events and mails by. */
  readonly owing: Owing
  readonly options: RunnerOptions
}): Runner {
  const { ledger, clock, observer } = deps
  const { owner, concurrency = 32, leaseMs = 60_000, pollMs = 5_000 } = deps.options
  const handlers = new Map(deps.handlers.map((handler) => [handler.kind, handler]))
  if (handlers.size !== deps.handlers.length) throw new TypeError('two handlers have the same kind')

  const running = new Map<Promise<void>, string>()
  let state: 'idle' | 'started' | 'draining' = 'idle'
  /** Whether the permanent items were made by this process. */
  let hasPermanent = false
  /** The time of the last claim; an earlier one says that the clock was set back. */
  let claimedAt = 0
  /** Due work was left for want of a free slot. */
  let starved = false
  let succeeded = 0
  let lastKind = ''
  let turn: Promise<unknown> = Promise.resolve()
  let waitingTurn: Promise<number> | null = null
  let unsubscribe: () => void = () => {}
  let cancelAlarm: () => void = () => {}
  let alarmAt = Number.POSITIVE_INFINITY

  /** Kinds that this runner does and that have work due by then, with their earliest, in order of kind. */
  async function lanesDue(by: number) {
    const found = []
    for (let after = ''; ; ) {
      const page = await ledger.store.lanes({ in: workItems.name, now: by, after, take: 100 })
      found.push(...page.filter(({ lane }) => handlers.has(lane)))
      const last = page.at(-1)
      if (!last || page.length < 100) return found
      after = last.lane
    }
  }

  async function makePermanent(): Promise<void> {
    const due = clock.now()
    const items = deps.handlers.flatMap(({ kind, permanent = [] }) =>
      permanent.map((ref) => ({ kind, ref, tenantId: null, applicationId: null, due })),
    )
    if (items.length === 0) return
    await ledger.execute<null>(null, async (unit) => {
      const found = await unit.read(items.map(({ kind, ref }) => get(workItems, [kind, ref])))
      const puts = items.flatMap((item, at) => {
        const was = one(workItems, found[at])
        if (was && (was.leasedBy !== null || was.row.due <= due)) return []
        return schedule({ ...item, state: was?.row.state }, was)
      })
      return puts.length === 0 ? answer(null) : commit({ puts }, null)
    })
  }

  /** Claims due items while there are slots; returns when to look again. */
  async function claimOnce(): Promise<number> {
    if (!hasPermanent || clock.now() < claimedAt) {
      await makePermanent()
      hasPermanent = true
    }
    for (;;) {
      const now = clock.now()
      claimedAt = now
      const poll = now + pollMs
      starved = running.size >= concurrency
      if (state === 'draining' || starved) return poll
      const lanes = await lanesDue(poll)
      const ahead = lanes.flatMap(({ due }) => (due > now ? due : []))
      const asks = shareSlots({
        lanes: lanes.flatMap(({ lane, due }) => (due > now ? [] : lane)),
        after: lastKind,
        busy: [...running.values()],
        concurrency,
      })
      lastKind = asks.at(-1)?.lane ?? lastKind
      starved = asks.length === 0 && ahead.length < lanes.length
      if (asks.length === 0) return Math.min(poll, ...ahead)
      const claimed = (await ledger.store.claim({
        in: workItems.name,
        asks,
        now,
        leaseUntil: now + leaseMs,
        owner,
      })) as readonly Versioned<WorkItem>[]
      for (const item of claimed) launch(item)
      // Another process claimed it first.
      if (claimed.length === 0) return Math.min(poll, ...ahead)
    }
  }

  /** One claim at a time; concurrent callers share the next one. */
  function claimDue(): Promise<number> {
    waitingTurn ??= turn.then(() => {
      waitingTurn = null
      return claimOnce()
    })
    const asked = waitingTurn
    turn = asked.catch(() => {})
    return asked
  }

  function launch(claimed: Versioned<WorkItem>): void {
    const run = runOne(claimed).finally(() => {
      running.delete(run)
      if (starved) wake()
    })
    running.set(run, claimed.row.kind)
  }

  async function runOne(claimed: Versioned<WorkItem>): Promise<void> {
    const { kind, ref } = claimed.row
    try {
      if (await effect(claimed)) succeeded++
      else observer.event('work.lost', { kind, ref })
    } catch (error) {
      observer.event('work.failed', { kind, ref, claims: claimed.row.claims, error: String(error) })
      await postpone(claimed).catch((broken) =>
        observer.event('work.store_failed', { error: String(broken) }),
      )
    }
  }

  /** Runs the handler and commits its step; false when another process has taken the item. */
  async function effect(claimed: Versioned<WorkItem>): Promise<boolean> {
    const { row, version } = claimed
    const handler = handlers.get(row.kind)
    if (!handler) throw new TypeError(`no handler of kind ${row.kind}`)
    let tries = 0
    const result = await ledger.execute<boolean>(row.tenantId, async (unit) => {
      if (tries++ > 0) {
        const [found] = await unit.read([get(workItems, [row.kind, row.ref])])
        if (one(workItems, found)?.version !== version) return answer(false)
      }
      return commit(withItem(await handler.run(row, unit, deps.owing), claimed), true)
    })
    if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.detail}`)
    return result.value
  }

  /** Reschedules a failed item; when that fails too, its lease expires. */
  async function postpone(claimed: Versioned<WorkItem>): Promise<void> {
    const due = clock.now() + retryDelay(claimed.row.claims)
    const row: WorkItem = { ...claimed.row, due }
    await ledger.store.commit({
      tenant: row.tenantId,
      puts: [put(workItems, row, claimed)],
    })
    wakeBy(due)
  }

  function wake(): void {
    if (state !== 'started') return
    claimDue().then(wakeBy, (error) => {
      observer.event('work.store_failed', { error: String(error) })
      wakeBy(clock.now() + pollMs)
    })
  }

  function wakeBy(at: number): void {
    if (state !== 'started' || at >= alarmAt) return
    cancelAlarm()
    alarmAt = at
    cancelAlarm = clock.after(Math.max(0, at - clock.now()), () => {
      alarmAt = Number.POSITIVE_INFINITY
      wake()
    })
  }

  /** Work scheduled by this process runs without waiting for the poll. */
  function notice(set: ChangeSet): void {
    for (const { in: name, row } of set.puts ?? []) {
      if (name !== workItems.name) continue
      const { kind, due } = row as WorkItem
      if (handlers.has(kind)) wakeBy(due)
    }
  }

  return {
    start() {
      if (state !== 'idle') return
      state = 'started'
      unsubscribe = ledger.subscribe(notice)
      wake()
    },
    async drain(withinMs) {
      state = 'draining'
      unsubscribe()
      cancelAlarm()
      let cancel: () => void = () => {}
      const patience = new Promise<void>((resolve) => {
        cancel = clock.after(withinMs, resolve)
      })
      // A claim under way may still launch what it takes.
      await Promise.race([patience, turn.then(() => Promise.all(running.keys()))])
      cancel()
    },
    async tick() {
      const before = succeeded
      for (;;) {
        await claimDue()
        if (running.size === 0) return succeeded - before
        await Promise.race(running.keys())
      }
    },
  }
}

function withItem(
  { set = {}, next, state }: WorkStep,
  claimed: Versioned<WorkItem>,
): Omit<ChangeSet, 'tenant'> {
  const { row, version } = claimed
  if (next === null)
    return {
      ...set,
      removes: [...(set.removes ?? []), { in: workItems.name, key: [row.kind, row.ref], version }],
    }
  const after: WorkItem = {
    ...row,
    due: next,
    claims: 0,
    state: state === undefined ? row.state : state,
  }
  return { ...set, puts: [...(set.puts ?? []), put(workItems, after, claimed)] }
}
