import { type BlobStore, type Store, StoreError } from '@countersign/core/ports'
import type { World } from './world.ts'

/** What one process has between itself and the store. */
export interface Gate {
  readonly name: string
  readonly alive: () => boolean
  /** Ends the process at once; whatever it waits for never comes. */
  readonly crash: () => void
}

const stallMs = 31_000
/** Far more than any plan passes, its permanent work aside. A process beyond it asks again and again. */
const mostPoints = 100_000
/**
 * Of permanent work, in a minute: the two items that run each minute pass six each where they are not due together, others
 * come now and then.
 */
const pointsPerMinute = 18

/** A promise of its own each time: one for all would hold on to whatever ever waited for it. */
const never = (): Promise<never> => new Promise(() => {})

/** What stands between a process and what it stores. */
interface Gated {
  look<T>(operation: () => Promise<T>): Promise<T>
  write<T>(operation: () => Promise<T>): Promise<T>
}

/** The store behind its points. */
export function gatedStore(store: Store, gate: Gate, world: World): Store {
  const { look, write } = gated(gate, world)
  return {
    read: (tenant, reads) => look(() => store.read(tenant, reads)),
    lanes: (query) => look(() => store.lanes(query)),
    nextDue: (query) => look(() => store.nextDue(query)),
    commit: (set) => write(() => store.commit(set)),
    claim: (query) => write(() => store.claim(query)),
    scrub: () => write(() => store.scrub()),
    close: () => store.close(),
  }
}

/** The blobs behind points of the same kind. */
export function gatedBlobs(blobs: BlobStore, gate: Gate, world: World): BlobStore {
  const { look, write } = gated(gate, world)
  return {
    get: (path) => look(() => blobs.get(path)),
    open: (path) => look(() => blobs.open(path)),
    list: (query) => look(() => blobs.list(query)),
    put: (objects) => write(() => blobs.put(objects)),
    remove: (paths) => write(() => blobs.remove(paths)),
    create: async (path) => {
      const writer = await look(() => blobs.create(path))
      return {
        write: (piece) => look(() => writer.write(piece)),
        commit: () => write(() => writer.commit()),
        abort: () => writer.abort(),
      }
    },
  }
}

/**
 * Points before each operation, and after each write. At a point the process may crash, stall, meet a broken connection,
 * or simply be overtaken by others.
 */
function gated(gate: Gate, world: World): Gated {
  const { time, chance, plan } = world
  const crashAt = new Set(plan.crashAt)
  let isEndless = false

  /** Null lets the operation go on without an event of its own. */
  function pass(): Promise<void> | null {
    if (!gate.alive()) return never()
    if (world.phase === 'over') return null
    world.points++
    if (world.points >= mostPoints + (pointsPerMinute * time.now()) / 60_000) {
      if (!isEndless) world.broken('comes to rest', 'the store is asked without end')
      isEndless = true
      return never()
    }
    const drawn = world.phase === 'safety' && chance.chance(plan.rates.crash)
    if (crashAt.has(world.points) || drawn) {
      world.crashes.push(world.points)
      world.note(`${gate.name} crashes at storage point ${world.points}`)
      gate.crash()
      return never()
    }
    if (world.phase === 'rest') return null
    let ms = 0.2 + chance.below(280) / 100
    if (chance.chance(plan.rates.stall)) {
      ms += stallMs + chance.below(60_000)
      world.note(`${gate.name} stalls for ${Math.round(ms)} ms`)
    }
    return new Promise((go) => {
      time.after(ms, () => {
        if (gate.alive()) go()
      })
    })
  }

  function breaks(rate: number, when: string): void {
    if (world.phase !== 'safety' || !chance.chance(rate)) return
    world.note(`${gate.name} loses its connection ${when}`)
    throw new StoreError('io', `the connection broke ${when}`)
  }

  async function look<T>(operation: () => Promise<T>): Promise<T> {
    await (pass() ?? undefined)
    breaks(plan.rates.storeError, 'before a read')
    const answer = await operation()
    return gate.alive() ? answer : never()
  }

  async function write<T>(operation: () => Promise<T>): Promise<T> {
    await (pass() ?? undefined)
    breaks(plan.rates.storeError, 'before a write')
    const answer = await operation()
    await (pass() ?? undefined)
    breaks(plan.rates.storeErrorAfter, 'after a write')
    return answer
  }

  return { look, write }
}
