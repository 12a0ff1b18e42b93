import type { Ports } from './world.ts'

/** The end of a process. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** Store and blobs of a process, and how often it called them. */
export interface MortalPorts extends Ports {
  calls(): number
}

/**
 * The ports of a process that dies at its n-th call of store or blobs, before or after it took effect, or once it has
 * committed so often.
 */
export function mortalPorts(
  ports: Ports,
  {
    at = Number.POSITIVE_INFINITY,
    when = 'before',
    commits = Number.POSITIVE_INFINITY,
  }: { readonly at?: number; readonly when?: 'before' | 'after'; readonly commits?: number },
): MortalPorts {
  let calls = 0
  let committed = 0
  let dead = false
  async function pass<T>(run: () => Promise<T>): Promise<T> {
    if (dead || committed >= commits) throw new Killed()
    calls++
    if (calls !== at) return run()
    if (when === 'after') await run()
    dead = true
    throw new Killed()
  }
  const { store, blobs } = ports
  return {
    ...ports,
    calls: () => calls,
    store: {
      ...store,
      read: (...asked) => pass(() => store.read(...asked)),
      commit: (set) =>
        pass(async () => {
          const outcome = await store.commit(set)
          committed++
          return outcome
        }),
      claim: (query) => pass(() => store.claim(query)),
      scrub: () => pass(() => store.scrub()),
    },
    blobs: {
      ...blobs,
      get: (path) => pass(() => blobs.get(path)),
      put: (objects) => pass(() => blobs.put(objects)),
      remove: (paths) => pass(() => blobs.remove(paths)),
    },
  }
}
