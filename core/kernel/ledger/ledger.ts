import type { Clock } from '../../base/ports/clock.ts'
import type { Random } from '../../base/ports/random.ts'
import type { ChangeSet, Conflict, Found, Read, Store } from '../../base/ports/store.ts'
import { type IdPrefix, newId } from './ids.ts'
import { type Refusal, type Result, refuse } from './refusal.ts'
import { createRowLocks, lockOf } from './row-locks.ts'

/** What a command may use on one run: load, decide, commit. `now` is fixed for the run. */
export interface UnitOfWork {
  /** Wall time in ms. */
  readonly now: number
  readonly id: (prefix: IdPrefix) => string
  readonly random: Random
  read(reads: readonly Read[]): Promise<readonly Found[]>
}

/** The outcome of a decision: a change set and the value to return, a value alone, or a refusal, with a set where something must be recorded all the same. */
export type Plan<T> =
  | { readonly kind: 'commit'; readonly set: Omit<ChangeSet, 'tenant'>; readonly value: T }
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'refuse'; readonly refusal: Refusal; readonly set?: Omit<ChangeSet, 'tenant'> }

/** A plan that commits a change set and answers with a value. */
export function commit<T>(set: Omit<ChangeSet, 'tenant'>, value: T): Plan<T> {
  return { kind: 'commit', set, value }
}

/** A plan that changes nothing and answers with a value. */
export function answer<T>(value: T): Plan<T> {
  return { kind: 'answer', value }
}

/** A plan that refuses. */
export function refusal<T>(refused: { readonly refusal: Refusal }): Plan<T> {
  return { kind: 'refuse', refusal: refused.refusal }
}

/** Executes commands: load, decide, commit, and again on a conflict. */
export interface Ledger {
  readonly store: Store
  read(tenant: string | null, reads: readonly Read[]): Promise<readonly Found[]>
  /**
   * Runs a unit of work: `plan` loads and decides, then its change set is committed. On a conflict it runs again from
   * the load, in turn with others of this process that conflicted at the same rows; after 64 runs the answer is a
   * refusal, `busy`.
   */
  execute<T>(
    tenant: string | null,
    plan: (unit: UnitOfWork) => Promise<Plan<T>>,
  ): Promise<Result<T>>
  /** Calls `listener` with each set that this process commits, once it is durable; returns the unsubscribe. */
  subscribe(listener: (set: ChangeSet) => void): () => void
}

/** Adds to a change set the columns and rows that follow from what it writes, before it is committed. */
export type Derive = (
  set: ChangeSet,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
) => Promise<ChangeSet>

/** Max optimistic retries; of the processes that contend for a row, one commits per round. */
const maxRuns = 64

/** The ledger over a store. */
export function createLedger(ports: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly derive?: Derive
}): Ledger {
  const listeners = new Set<(set: ChangeSet) => void>()
  const { store, clock, random, derive = async (set) => set } = ports
  const locks = createRowLocks(clock)

  async function runOnce<T>(
    tenant: string | null,
    plan: (unit: UnitOfWork) => Promise<Plan<T>>,
  ): Promise<Result<T> | readonly Conflict[]> {
    const now = clock.now()
    const planned = await plan({
      now,
      random,
      id: (prefix) => newId(prefix, now, random),
      read: (reads) => store.read(tenant, reads),
    })
    if (planned.kind !== 'answer' && planned.set) {
      const set = await derive({ ...planned.set, tenant }, (reads) => store.read(tenant, reads))
      const outcome = await store.commit(set)
      if (!outcome.committed) return outcome.conflicts
      for (const listener of listeners) listener(set)
    }
    return planned.kind === 'refuse'
      ? { ok: false, refusal: planned.refusal }
      : { ok: true, value: planned.value }
  }

  return {
    store,
    read: (tenant, reads) => store.read(tenant, reads),
    execute: async (tenant, plan) => {
      const contended = new Set<string>()
      let release = () => {}
      try {
        for (let run = 0; run < maxRuns; run++) {
          const outcome = await runOnce(tenant, plan)
          if (!('length' in outcome)) return outcome
          const known = contended.size
          for (const conflict of outcome) contended.add(lockOf(conflict))
          if (contended.size === known) continue
          // Locks are taken in one order: none is held while another is added.
          release()
          release = await locks.take(contended)
        }
      } finally {
        release()
      }
      return refuse('busy', 'the same rows kept changing; nothing was written', {
        retryAfter: 1,
      })
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
