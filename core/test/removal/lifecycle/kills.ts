import assert from 'node:assert/strict'
import { hour, type Ports, readable } from '../erasure/world.ts'
import { checkRemains, due, toldOf } from './remains.ts'
import { purgeProcess } from './world.ts'

class Killed extends Error {}

/** Store and blobs of a process that dies at its n-th call of either, before or after it took effect. */
function dyingPorts(ports: Ports, at: number, when: 'before' | 'after') {
  let calls = 0
  let dead = false
  async function pass<T>(run: () => Promise<T>): Promise<T> {
    if (dead) throw new Killed()
    calls++
    if (calls !== at) return run()
    if (when === 'after') await run()
    dead = true
    throw new Killed()
  }
  const { store, blobs } = ports
  const dying: Ports = {
    ...ports,
    store: {
      ...store,
      read: (...asked) => pass(() => store.read(...asked)),
      commit: (set) => pass(() => store.commit(set)),
      claim: (query) => pass(() => store.claim(query)),
      scrub: () => pass(() => store.scrub()),
    },
    blobs: {
      ...blobs,
      list: (query) => pass(() => blobs.list(query)),
      remove: (paths) => pass(() => blobs.remove(paths)),
    },
  }
  return { ...dying, calls: () => calls }
}

/** Runs the purge in a process that dies at a point, then in another until it is done; the calls of the first. */
export async function killedAt(at: number, when: 'before' | 'after'): Promise<number> {
  const w = await due()
  const dying = dyingPorts(w, at, when)
  await purgeProcess(dying)
    .purger.tick()
    .catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
  // The lease of what it held ends.
  w.clock.jump(hour)
  const heir = purgeProcess(w)
  await heir.purger.tick()
  const what = `killed ${when} call ${at}`
  checkRemains(w, what)
  assert.deepEqual(
    toldOf(w).map((data) => ({ ...(data as object), purgedAt: null, requestedAt: null })),
    [{ requestedAt: null, purgedAt: null, sessionsDeleted: 2, blobsDeleted: 2, saltsDestroyed: 2 }],
    what,
  )
  assert.deepEqual(
    await readable(heir, w.tenantId),
    [
      'kept - metadata: metadata of kept',
      'kept a input: content of kept',
      'kept a output: content of kept, answered',
    ],
    what,
  )
  return dying.calls()
}
