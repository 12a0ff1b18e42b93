import type { Clock, ExchangeError, OperatorReason } from '@countersign/core/ports'
import { checkHost, refused } from './check-host.ts'
import { type Connection, openConnection } from './connection.ts'
import type { Dialling } from './connector.ts'
import type { EgressPolicy, Target } from './policy.ts'
import type { ResolveName } from './resolve-name.ts'

/** An exchange that waits for a connection. */
export interface Job {
  run(connection: Connection): void
  fail(error: ExchangeError, detail: string, operators?: OperatorReason): void
}

export interface OriginPorts {
  readonly clock: Clock
  readonly policy: EgressPolicy
  readonly resolve: ResolveName
  readonly secureContext: Dialling['secureContext']
  /** Connections of one origin at the same time. */
  readonly connections: number
}

/** The connections of one host and port, and the exchanges that wait for one. */
export interface Origin {
  submit(job: Job): void
  /** Withdraws a job that has not started. */
  withdraw(job: Job): void
  /** Called once after each exchange; `reusable` when its answer was read to the end. */
  release(connection: Connection, reusable: boolean): void
  /** Monotonic ms of the last use. */
  lastUsed(): number
  /** Starts nothing new and closes idle connections; running exchanges release theirs. */
  close(): void
}

/** Ms that checked addresses are used before the name is resolved again. */
const freshMs = 10_000
/** Longest life of a connection in ms, whatever DNS says. */
const oldestMs = 300_000

export function createOrigin(target: Target, ports: OriginPorts): Origin {
  const { clock, policy, resolve, secureContext } = ports
  const waiting = new Set<Job>()
  // Most recently used first, so that spare connections go idle and close.
  const idle: Connection[] = []
  let busy = 0
  const session: Dialling['session'] = { current: undefined }
  let addresses: readonly string[] = []
  let generation = 0
  let freshUntil = Number.NEGATIVE_INFINITY
  let checks = 0
  /** While a check runs: when another may be started. */
  let checkedUntil = Number.NEGATIVE_INFINITY
  let closed = false
  let used = clock.monotonic()

  async function check(): Promise<void> {
    const mine = ++checks
    checkedUntil = clock.monotonic() + freshMs
    const host = await checkHost(target, policy, resolve).catch((error: unknown) =>
      refused('dns', `the name could not be checked: ${messageOf(error)}`, target),
    )
    // A resolver that never answers must not block the origin.
    if (mine !== checks) return
    checkedUntil = Number.NEGATIVE_INFINITY
    if (!host.ok) {
      const failed = [...waiting]
      waiting.clear()
      for (const job of failed) job.fail(host.error, host.detail, host.operators)
      return
    }
    if (!sameSet(host.addresses, addresses)) generation++
    addresses = host.addresses
    freshUntil = target.literal ? Number.POSITIVE_INFINITY : clock.monotonic() + freshMs
    serve()
  }

  function take(now: number): Connection | null {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (found.generation === generation && now - found.openedAt < oldestMs) return found
      found.destroy()
    }
    if (busy >= ports.connections) return null
    const dialling = { target, secureContext, addresses: () => addresses, session }
    return openConnection(dialling, generation, now)
  }

  function serve(): void {
    const now = clock.monotonic()
    used = now
    if (waiting.size === 0 || closed) return
    for (const job of waiting) {
      if (now >= freshUntil) {
        if (now >= checkedUntil) void check()
        return
      }
      const connection = take(now)
      if (!connection) return
      waiting.delete(job)
      run(job, connection)
    }
  }

  /** A job that cannot start fails alone; its exchange releases the connection. */
  function run(job: Job, connection: Connection): void {
    busy++
    try {
      job.run(connection)
    } catch (error) {
      job.fail('aborted', `the request could not be started: ${messageOf(error)}`)
    }
  }

  return {
    submit(job) {
      const now = clock.monotonic()
      // Common case: no queue.
      const connection = waiting.size === 0 && now < freshUntil ? take(now) : null
      if (!connection) {
        waiting.add(job)
        return serve()
      }
      used = now
      run(job, connection)
    },
    withdraw: (job) => {
      waiting.delete(job)
    },
    release(connection, reusable) {
      busy--
      if (reusable && !closed) idle.push(connection)
      else connection.destroy()
      serve()
    },
    lastUsed: () => (busy + waiting.size > 0 ? clock.monotonic() : used),
    close() {
      closed = true
      for (const connection of idle.splice(0)) connection.destroy()
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((address) => b.includes(address))
}
