import type { Clock } from '../../base/ports/clock.ts'
import type { CallerSignal } from '../../base/ports/secrets.ts'

/** Passwords of strangers that are checked concurrently: as many as two cores can do. */
const atOnce = 2
/** Most strangers that wait. */
const mostWaiting = 256
/** A stranger who has waited this long is refused. */
export const patienceMs = 5_000
/** Half-life of the work that an address or block has caused. */
const halfLifeMs = 10 * 60_000
/** What a try, which costs 1, gets back by its outcome. */
const refunds = { failed: 0, succeeded: 0.95, undecided: 1 } as const
/** Weights of the work of an address and of each wider block around it. */
const shares = [1, 1 / 4, 1 / 16]
/** Work is compared in steps of this, so that what successful logins leave behind doesn't count. */
const leastDifference = 0.25
/** Addresses and blocks whose work is remembered; the longest idle are dropped first. */
const mostOrigins = 50_000

/** A turn to check a password; `leave` is called once, with what came of it. */
export interface Turn {
  leave(outcome: keyof typeof refunds): void
}

/** Decides whose password is checked next while there are more than can be checked. */
export interface LoginAdmission {
  /** `origin`: the address of a caller and wider blocks around it. Null when refused. */
  enter(origin: readonly string[], caller?: CallerSignal): Promise<Turn | null>
}

interface Waiter {
  readonly origin: readonly string[]
  readonly caller: CallerSignal | undefined
  readonly settle: (turn: Turn | null) => void
}

interface Work {
  readonly amount: number
  readonly at: number
}

/**
 * Admits first the stranger whose address, and the blocks around it, tried least; among equals the newest, since the
 * oldest will time out soonest. Refused tries count too, right passwords hardly. A flood, even from ever new addresses
 * of its networks, thus waits behind everybody else. When too many wait, the one whose origin tried most is refused.
 * The number of concurrent checks stays the same.
 */
export function createLoginAdmission(clock: Clock): LoginAdmission {
  const works = new Map<string, Work>()
  let waiting: Waiter[] = []
  let running = 0

  function workOf(key: string, now: number): number {
    const work = works.get(key)
    return work ? work.amount * 2 ** (-(now - work.at) / halfLifeMs) : 0
  }

  function causedBy(origin: readonly string[], now: number): number {
    const sum = origin.reduce((sum, key, at) => sum + (shares[at] ?? 0) * workOf(key, now), 0)
    return Math.floor(sum / leastDifference)
  }

  function charge(origin: readonly string[], amount: number): void {
    const now = clock.monotonic()
    for (const key of origin) {
      const next = workOf(key, now) + amount
      works.delete(key)
      works.set(key, { amount: Math.max(0, next), at: now })
    }
    for (const oldest of works.keys()) {
      if (works.size <= mostOrigins) return
      works.delete(oldest)
    }
  }

  function take(origin: readonly string[]): Turn {
    running++
    let left = false
    return {
      leave(outcome) {
        if (left) return
        left = true
        running--
        charge(origin, -refunds[outcome])
        admit()
      },
    }
  }

  function refuse(waiter: Waiter): void {
    waiting = waiting.filter((each) => each !== waiter)
    waiter.settle(null)
  }

  function dropLeft(): void {
    for (const waiter of waiting.filter(({ caller }) => caller?.aborted)) refuse(waiter)
  }

  /** The waiter whose work is best by `isBetter`. Compares from the oldest to the newest. */
  function pick(isBetter: (work: number, best: number) => boolean): Waiter | undefined {
    const now = clock.monotonic()
    let best: { readonly waiter: Waiter; readonly work: number } | undefined
    for (const waiter of waiting) {
      const work = causedBy(waiter.origin, now)
      if (!best || isBetter(work, best.work)) best = { waiter, work }
    }
    return best?.waiter
  }

  function admit(): void {
    dropLeft()
    while (running < atOnce) {
      const next = pick((work, best) => work <= best)
      if (!next) return
      waiting = waiting.filter((each) => each !== next)
      next.settle(take(next.origin))
    }
  }

  return {
    enter: (origin, caller) =>
      new Promise((resolve) => {
        let cancel = () => {}
        const settle = (turn: Turn | null) => {
          cancel()
          resolve(turn)
        }
        const waiter = { origin, caller, settle }
        charge(origin, 1)
        waiting.push(waiter)
        cancel = clock.after(patienceMs, () => refuse(waiter))
        admit()
        if (waiting.length <= mostWaiting) return
        const worst = pick((work, most) => work > most)
        if (worst) refuse(worst)
      }),
  }
}
