import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { ChangeSet, Conflict, Found, Read, Store } from '../ports/store.ts'
import { type IdPrefix, newId } from './ids.ts'
import { type Refusal, type Result, refuse } from './refusal.ts'

/** What one attempt of a command may use; `now` and ids are fixed for the attempt. */
export interface Attempt {
  /** Wall time in ms. */
  readonly now: number
  readonly id: (prefix: IdPrefix) => string
  readonly random: Random
  read(reads: readonly Read[]): Promise<readonly Found[]>
}

/** What a command decided: a change and the value to tell, a value alone, or a refusal (with what must be recorded all the same). */
export type Plan<T> =
  | { readonly kind: 'commit'; readonly set: Omit<ChangeSet, 'tenant'>; readonly value: T }
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'refuse'; readonly refusal: Refusal; readonly set?: Omit<ChangeSet, 'tenant'> }

export function commit<T>(set: Omit<ChangeSet, 'tenant'>, value: T): Plan<T> {
  return { kind: 'commit', set, value }
}

export function answer<T>(value: T): Plan<T> {
  return { kind: 'answer', value }
}

export function refusal<T>(refused: { readonly refusal: Refusal }): Plan<T> {
  return { kind: 'refuse', refusal: refused.refusal }
}

export interface Ledger {
  readonly store: Store
  read(tenant: string | null, reads: readonly Read[]): Promise<readonly Found[]>
  /** Runs load, decide and commit; again from the load when something that the decision saw has moved meanwhile. */
  execute<T>(
    tenant: string | null,
    attempt: (attempt: Attempt) => Promise<Plan<T>>,
  ): Promise<Result<T>>
  /** Tells each committed set, in this process, after it is durable. */
  subscribe(listener: (set: ChangeSet) => void): () => void
}

/** Tries before a command that keeps meeting moved rows is refused as busy; of those that meet, one a round gets through. */
const maxAttempts = 64

export function createLedger(ports: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}): Ledger {
  const listeners = new Set<(set: ChangeSet) => void>()
  const { store, clock, random } = ports

  async function attemptOnce<T>(
    tenant: string | null,
    attempt: (attempt: Attempt) => Promise<Plan<T>>,
  ): Promise<Result<T> | readonly Conflict[]> {
    const now = clock.now()
    const plan = await attempt({
      now,
      random,
      id: (prefix) => newId(prefix, now, random),
      read: (reads) => store.read(tenant, reads),
    })
    if (plan.kind !== 'answer' && plan.set) {
      const set: ChangeSet = { ...plan.set, tenant }
      const outcome = await store.commit(set)
      if (!outcome.committed) return outcome.conflicts
      for (const listener of listeners) listener(set)
    }
    return plan.kind === 'refuse'
      ? { ok: false, refusal: plan.refusal }
      : { ok: true, value: plan.value }
  }

  return {
    store,
    read: (tenant, reads) => store.read(tenant, reads),
    execute: async (tenant, attempt) => {
      for (let tries = 0; tries < maxAttempts; tries++) {
        const outcome = await attemptOnce(tenant, attempt)
        if (!Array.isArray(outcome)) return outcome as Exclude<typeof outcome, readonly Conflict[]>
      }
      return refuse('busy', 'the same rows kept changing meanwhile; nothing was written', {
        retryAfter: 1,
      })
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
