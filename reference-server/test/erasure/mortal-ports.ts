import type { BlobStore, Store } from '@countersign/core/ports'

/** The end of a process. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** When a process dies: at its n-th write, before or after that took effect. */
export interface KillPoint {
  readonly at: number
  readonly when: 'before' | 'after'
}

/** Of a process that is not killed. */
export const never: KillPoint = { at: Number.POSITIVE_INFINITY, when: 'before' }

/** Store and blobs of a process that dies at a write: a commit, a scrub, or a change of blobs. */
export interface MortalPorts {
  readonly store: Store
  readonly blobs: BlobStore
  /** Writes so far. */
  writes(): number
  /** Settles at its death, once no call is under way. */
  readonly dead: Promise<void>
}

export function mortalPorts(
  { store, blobs }: { readonly store: Store; readonly blobs: BlobStore },
  { at, when }: KillPoint,
): MortalPorts {
  const underWay = new Set<Promise<unknown>>()
  let die = () => {}
  const dead = new Promise<void>((resolve) => {
    die = resolve
  })
  let writes = 0
  let isDead = false

  function pass<T>(run: () => Promise<T>): Promise<T> {
    if (isDead) return Promise.reject(new Killed())
    const call = run()
    underWay.add(call)
    const over = () => underWay.delete(call)
    call.then(over, over)
    return call
  }

  async function write<T>(run: () => Promise<T>): Promise<T> {
    if (isDead || ++writes !== at) return pass(run)
    const last = when === 'after' ? pass(run) : null
    isDead = true
    await last
    await Promise.allSettled(underWay)
    die()
    throw new Killed()
  }

  return {
    writes: () => writes,
    dead,
    store: {
      ...store,
      read: (...asked) => pass(() => store.read(...asked)),
      lanes: (query) => pass(() => store.lanes(query)),
      nextDue: (query) => pass(() => store.nextDue(query)),
      claim: (query) => pass(() => store.claim(query)),
      commit: (set) => write(() => store.commit(set)),
      scrub: () => write(() => store.scrub()),
      close: () => store.close(),
    },
    blobs: {
      ...blobs,
      get: (path) => pass(() => blobs.get(path)),
      list: (query) => pass(() => blobs.list(query)),
      put: (objects) => write(() => blobs.put(objects)),
      remove: (paths) => write(() => blobs.remove(paths)),
    },
  }
}
