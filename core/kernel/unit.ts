import { type Actor, actorName } from '../access/actor.ts'
import { type AuditEntry, audit } from '../ledger/audit.ts'
import type { IdPrefix } from '../ledger/ids.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { put } from '../ledger/reads.ts'
import type { RefusalCode } from '../ledger/refusal.ts'
import type { ChangeSet, Collection, Found, Key, Put, Read, Versioned } from '../ports/store.ts'
import { keyOf } from '../store-kit/key-of.ts'
import { createMemory, Refusing } from './memory.ts'
import { type Answers, type AnyQuery, Refused } from './query.ts'

/** What an operation that changes nothing may do. `Code`: the codes that it may refuse with. */
export interface Lookup<By extends Actor, Code extends RefusalCode> {
  readonly by: By
  /** Asks the store, in one round trip; answers by the names of the queries. */
  ask<const Q extends Readonly<Record<string, AnyQuery<Code>>>>(queries: Q): Promise<Answers<Q>>
  /** Ends the operation with a refusal. */
  refuse(code: Code, detail: string): never
}

/**
 * A unit of work. It remembers what was asked for by key, which becomes a check of its commit, and collects what is to
 * be written: all of it is, or nothing.
 */
export interface Unit<By extends Actor, Code extends RefusalCode> extends Lookup<By, Code> {
  /** Wall time in ms, the same throughout. */
  readonly now: number
  id(prefix: IdPrefix): string
  /** Creates a row, or replaces the one that `was` saw. */
  put<Row extends object>(into: Collection<Row>, row: Row, was?: Versioned<Row>): void
  remove<Row extends object>(from: Collection<Row>, was: Versioned<Row>): void
  /** Records a privileged act of this actor. */
  audit(action: string, subject: string, detail: AuditEntry['detail']): void
  wake(work: Wake): void
}

/** Due work that a commit schedules: of the item as it is now, its next state, or null to leave it alone. */
export interface Wake {
  readonly item: Read
  readonly schedule: (now: number, found: Found | undefined) => Put | null
}

/** A member's organization is the one whose rows are read and written. */
type Caller = Actor & { readonly tenantId: string }

/** Runs an operation that changes nothing. */
export async function lookUp<By extends Caller, T>(
  read: UnitOfWork['read'],
  by: By,
  run: (lookup: Lookup<By, RefusalCode>) => Promise<T>,
): Promise<T | Refused<RefusalCode>> {
  return refusedOr(() => run({ by, ask: createMemory(read).ask, refuse }))
}

/** Runs an operation in a unit of work; answers the plan that the ledger commits. */
export async function planOf<By extends Caller, T>(
  { now, read, id }: Pick<UnitOfWork, 'now' | 'read' | 'id'>,
  by: By,
  run: (unit: Unit<By, RefusalCode>) => Promise<T>,
): Promise<Plan<T>> {
  const memory = createMemory(read)
  const puts: Put[] = []
  const removes: NonNullable<ChangeSet['removes']>[number][] = []
  const appends: NonNullable<ChangeSet['appends']>[number][] = []
  const wakes: Wake[] = []
  const written: { readonly in: string; readonly key: Key }[] = []
  const write = (collection: Collection<never>, row: object): Key => {
    const key = keyOf(collection as unknown as Collection, row)
    written.push({ in: collection.name, key })
    return key
  }
  const value = await refusedOr(() =>
    run({
      now,
      by,
      ask: memory.ask,
      refuse,
      id,
      put(into, row, was) {
        write(into as Collection<never>, row)
        puts.push(put(into, row, was ?? null))
      },
      remove(from, { row, version }) {
        removes.push({ in: from.name, key: write(from as Collection<never>, row), version })
      },
      audit(action, subject, detail) {
        const entry = { at: isoTime(now), actor: actorName(by), action, subject, detail }
        appends.push(audit(by.tenantId, entry))
      },
      wake: (work) => void wakes.push(work),
    }),
  )
  if (value instanceof Refused) return refusal(value)
  const items = await memory.read(wakes.map(({ item }) => item))
  for (const [at, { schedule }] of wakes.entries()) {
    const scheduled = schedule(now, items[at])
    if (scheduled) puts.push(scheduled)
  }
  if (puts.length + removes.length + appends.length === 0) return answer(value)
  return commit({ puts, removes, appends, checks: memory.checksWithout(written) }, value)
}

function refuse(code: RefusalCode, detail: string): never {
  throw new Refusing(new Refused(code, detail))
}

async function refusedOr<T>(run: () => Promise<T>): Promise<T | Refused<RefusalCode>> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof Refusing) return thrown.refused
    throw thrown
  }
}
