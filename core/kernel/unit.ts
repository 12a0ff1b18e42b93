import type { Announced, Outgoing } from '../base/events/outgoing.ts'
import type { Collection, Found, Key, Put, Read, Versioned } from '../base/ports/store.ts'
import { keyOf } from '../base/store-kit/key-of.ts'
import { type Actor, actorName } from './callers/actor.ts'
import { type AuditEntry, audit } from './ledger/audit.ts'
import { isoTime } from './ledger/iso-time.ts'
import { answer, commit, type Plan, type UnitOfWork } from './ledger/ledger.ts'
import { put } from './ledger/reads.ts'
import { ok, type Refusal, type RefusalCode, type Result } from './ledger/refusal.ts'
import type { Letter } from './mail/post.ts'
import { createMemory, type Memory, Refusing } from './memory.ts'
import type { KernelPorts, Parts } from './ports.ts'
import type { Answers, AnyQuery } from './query.ts'

type More = Omit<Refusal, 'code' | 'detail'>

/** What an operation that changes nothing may do. `Code`: the codes that it may refuse with. `Tools`: of its room. */
export interface Lookup<By extends Actor | null, Code extends RefusalCode, Tools = unknown> {
  readonly by: By
  /** What the room was opened with. */
  readonly tools: Tools
  /** Asks the store, in one round trip; answers by the names of the queries. */
  ask<const Q extends Readonly<Record<string, AnyQuery<Code>>>>(queries: Q): Promise<Answers<Q>>
  /** Reads whose answers are no checks of a commit, for functions that know no queries. */
  read(reads: readonly Read[]): Promise<readonly Found[]>
  /** Ends the operation with a refusal. */
  refuse(code: Code, detail: string, more?: More): never
  /** The value of a result; ends the operation where it is a refusal. */
  orRefuse<T>(result: Result<T, Code>): T
}

/** Whose rows a unit writes: those of the caller's organization; others name it. */
type Of<By> = [By] extends [{ readonly tenantId: string }] ? [] : [tenantId: string]
/** Whose log has an entry, and who acted, where no caller says it. */
type Whose<By> = [By] extends [null] ? [tenantId: string, actor: string] : Of<By>

/**
 * A unit of work. It remembers what was asked for by key, which becomes a check of its commit, and collects what is to
 * be written: all of it is, or nothing. It is a `UnitOfWork` for functions that return parts of a change set.
 */
export interface Unit<By extends Actor | null, Code extends RefusalCode, Tools = unknown>
  extends Lookup<By, Code, Tools>,
    Omit<UnitOfWork, 'read'> {
  /** Creates a row, or replaces the one that `was` saw. */
  put<Row extends object>(
    into: Collection<Row>,
    row: NoInfer<Row>,
    was?: Versioned<NoInfer<Row>> | null,
  ): void
  remove<Row extends object>(from: Collection<Row>, was: Versioned<Row>): void
  /** Records a privileged act of this actor. */
  audit(action: string, subject: string, detail: AuditEntry['detail'], ...whose: Whose<By>): void
  /** Owes an event to the webhooks and chats that selected it; its id and time come from the commit. */
  emit(event: Announced | Outgoing, ...of: Of<By>): void
  /** Owes a mail; none where the host has no mailer. */
  mail(letter: Letter, ...of: Of<By>): void
  /** Schedules due work; of one item the last that is asked for. */
  wake(work: Wake): void
  /** Adds to a counter, which never conflicts. */
  count(counter: string, delta: number): void
  /** Parts of a change set that a function of another room made. */
  include(parts: Parts): void
  /** Ends the operation with a refusal, and commits what was collected. */
  refuseRecording(code: Code, detail: string, more?: More): never
}

/** Due work that a commit schedules: of the item as it is now, its next state, or null to leave it alone. */
export interface Wake {
  readonly item: Read
  readonly schedule: (now: number, found: Found | undefined) => Put | null
}

/** Runs an operation that changes nothing. */
export async function lookUp<By extends Actor | null, Tools, T>(
  read: UnitOfWork['read'],
  by: By,
  tools: Tools,
  run: (lookup: Lookup<By, RefusalCode, Tools>) => Promise<T>,
): Promise<Result<T>> {
  return ended(() => run(lookupOf(createMemory(read), by, tools)))
}

/** What an operation came to, once it no longer writes. */
export async function ended<T>(run: () => Promise<T>): Promise<Result<T>> {
  const end = await ending(run)
  return end instanceof Refusing ? { ok: false, refusal: end.refusal } : ok(end)
}

function lookupOf<By extends Actor | null, Tools>(
  { ask, read }: Memory,
  by: By,
  tools: Tools,
): Lookup<By, RefusalCode, Tools> {
  return { by, tools, ask, read, refuse, orRefuse }
}

type Opened = Pick<KernelPorts, 'fanOut' | 'post'>

/** Runs an operation in a unit of work; answers the plan that the ledger commits. `admit`: who acts, by current rows. */
export async function planOf<By extends Actor | null, Tools, T>(
  ports: Opened,
  work: UnitOfWork,
  asked: { readonly admit: (ask: Memory['ask']) => Promise<By>; readonly tools: Tools },
  run: (unit: Unit<By, RefusalCode, Tools>) => Promise<T>,
): Promise<Plan<T>> {
  const { end, set, isWritten } = await collected(ports, work, asked, run)
  if (end instanceof Refusing)
    return { kind: 'refuse', refusal: end.refusal, ...(end.records && isWritten && { set }) }
  return isWritten ? commit(set, end) : answer(end)
}

/** Runs what can't refuse in a unit of work, for a change set that has more than what it collects. */
export async function partsOf<By extends Actor, T>(
  ports: Opened,
  work: UnitOfWork,
  by: By,
  run: (unit: Unit<By, never>) => Promise<T>,
): Promise<{ readonly set: Parts; readonly value: T }> {
  const asked = { admit: async () => by, tools: null }
  const { end, set } = await collected(ports, work, asked, (unit) =>
    run(unit as unknown as Unit<By, never>),
  )
  if (end instanceof Refusing) throw new Error(`${end.refusal.code}: ${end.refusal.detail}`)
  return { set, value: end }
}

/** What a run came to, what it collected and relies on, and whether that writes anything. */
interface Collected<T> {
  readonly end: T | Refusing
  readonly set: Required<Parts>
  readonly isWritten: boolean
}

async function collected<By extends Actor | null, Tools, T>(
  ports: Opened,
  { now, id, random, read }: UnitOfWork,
  { admit, tools }: { readonly admit: (ask: Memory['ask']) => Promise<By>; readonly tools: Tools },
  run: (unit: Unit<By, RefusalCode, Tools>) => Promise<T>,
): Promise<Collected<T>> {
  const memory = createMemory(read)
  const parts: Parts[] = []
  const wakes = new Map<string, Wake>()
  const written: { readonly in: string; readonly key: Key }[] = []
  const events = new Map<string, (Announced | Outgoing)[]>()
  const write = (collection: Collection<never>, row: object): Key => {
    const key = keyOf(collection as unknown as Collection, row)
    written.push({ in: collection.name, key })
    return key
  }
  const work = { now, id, random, read: memory.read }
  const end = await ending(async () => {
    const by = await admit(memory.ask)
    const own = by !== null && 'tenantId' in by ? by.tenantId : null
    const unit: Unit<Actor | null, RefusalCode, Tools> = {
      by,
      tools,
      ask: memory.ask,
      refuse,
      orRefuse,
      now,
      id,
      random,
      read: memory.read,
      put(into, row, was = null) {
        write(into as Collection<never>, row)
        parts.push({ puts: [put(into, row, was)] })
      },
      remove(from, { row, version }) {
        const key = write(from as Collection<never>, row)
        parts.push({ removes: [{ in: from.name, key, version }] })
      },
      audit(action, subject, detail, ...[of, name]: readonly (string | undefined)[]) {
        const actor = name ?? (by === null ? 'system' : actorName(by))
        const entry = { at: isoTime(now), actor, action, subject, detail }
        parts.push({ appends: [audit(owner(of ?? own), entry)] })
      },
      emit(event, of) {
        const tenantId = owner(of ?? own)
        events.set(tenantId, [...(events.get(tenantId) ?? []), event])
      },
      mail: (letter, of) =>
        void parts.push({ puts: ports.post.owe({ now, id }, owner(of ?? own), letter) }),
      wake: (due) => void wakes.set(JSON.stringify(due.item), due),
      count: (counter, delta) => void parts.push({ adds: [{ counter, delta }] }),
      include: (more) => void parts.push(more),
      refuseRecording(code, detail, more = {}) {
        throw new Refusing({ code, detail, ...more }, true)
      },
    }
    return run(unit as unknown as Unit<By, RefusalCode, Tools>)
  })
  if (end instanceof Refusing && !end.records)
    return { end, set: mergedParts([]), isWritten: false }
  for (const [tenantId, emitted] of events) parts.push(await ports.fanOut(work, tenantId, emitted))
  const woken = [...wakes.values()]
  const items = await memory.read(woken.map(({ item }) => item))
  const due = woken.map(({ schedule }, at) => schedule(now, items[at]))
  parts.push({ puts: due.filter((each) => each !== null) })
  const set = mergedParts(parts)
  const isWritten = Object.entries(set).some(([name, part]) => name !== 'checks' && part.length > 0)
  const checks = [...set.checks, ...memory.checksWithout(written)]
  return { end, set: { ...set, checks }, isWritten }
}

function owner(tenantId: string | null): string {
  if (tenantId === null) throw new TypeError('expected the organization whose rows are written')
  return tenantId
}

/** Parts of a change set as one, in their order. */
export function mergedParts(parts: readonly Parts[]): Required<Parts> {
  const merged = { checks: [], puts: [], removes: [], ranges: [], adds: [], appends: [] }
  for (const name of Object.keys(merged) as (keyof Parts)[])
    for (const part of parts)
      for (const each of part[name] ?? []) (merged[name] as unknown[]).push(each)
  return merged
}

function refuse(code: RefusalCode, detail: string, more: More = {}): never {
  throw new Refusing({ code, detail, ...more })
}

function orRefuse<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Refusing(result.refusal)
}

async function ending<T>(run: () => Promise<T>): Promise<T | Refusing> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof Refusing) return thrown
    throw thrown
  }
}
