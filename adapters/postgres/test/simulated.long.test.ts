import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { collections, logs } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import type * as Simulator from '../../../conformance/dist/simulator/index.js'
import { closeStores, emptiedStore } from './emptied-store.ts'
import { missing } from './server.ts'

// The simulator is a program of the repository, exported by no package.
const path = new URL('../../../../conformance/dist/simulator/index.js', import.meta.url)
const { planOf, run, twinStore }: typeof Simulator = await import(path.href)

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const drawn = Math.abs(Number(seed)) % 100_000
const seedsFrom = (count: number) => Array.from({ length: count }, (_, at) => 300_000 + drawn + at)

const declared = { collections: collections as readonly unknown[] as readonly Collection[], logs }

/** Days of a service are up to 80,000 calls: beside the whole proof, plans that come to their end before so many points. */
const mostPoints = whole ? Number.POSITIVE_INFINITY : 12_000

/** Plays a plan on PostgreSQL beside the store in memory; answers the storage points that it passed. */
async function play(plan: Simulator.Plan, name: string): Promise<number> {
  const store = await emptiedStore(declared)
  const twins: Simulator.TwinStore[] = []
  const { violations, points, crashes } = await run(plan, {
    wrapStore(memory) {
      const twin = twinStore(memory, store)
      twins.push(twin)
      return twin
    },
    outside: () => twins[0]?.settled() ?? null,
  })
  assert.deepEqual(violations, [], name)
  assert.deepEqual(twins[0]?.differences, [], name)
  assert.ok((twins[0]?.calls ?? 0) > 50, name)
  if (plan.crashAt.length > 0) assert.deepEqual(crashes, plan.crashAt, name)
  return points
}

describe('a service on PostgreSQL', { skip: missing ?? false }, () => {
  after(closeStores)

  for (const of of ['cases', 'sessions', 'organizations'] as const) {
    it(`breaks no property of ${of} that crashes, and is answered as by the store in memory`, async () => {
      for (const number of seedsFrom(whole ? 40 : 1)) {
        const plan = planOf({ of, kind: 'scenario', seed: number })
        const points = await play(plan, `scenario ${number}`)
        const crashAt = [1 + ((drawn * 31 + number) % points)]
        await play({ ...plan, crashAt }, `scenario ${number}, crashed at ${crashAt}`)
      }
    })

    it(`nor of ${of} with faults of every kind`, async () => {
      for (const number of seedsFrom(whole ? 20 : 1)) {
        const plan = planOf({ of, kind: 'swarm', seed: number })
        const { points } = await run(plan)
        if (points < mostPoints) await play(plan, `swarm ${number}`)
      }
    })
  }
})
