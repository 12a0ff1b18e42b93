import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeSet, Store } from '@countersign/core/ports'
import fc from 'fast-check'
import type { Faults } from './ingested.ts'
import { histories, holdsFor } from './model.ts'
import type { Ports } from './world.ts'

/** A process whose store is another. */
const onStore =
  (change: (store: Store) => Partial<Store>) =>
  (ports: Ports): Ports => ({ ...ports, store: { ...ports.store, ...change(ports.store) } })

/** A process whose commits are others. */
const committing = (change: (set: ChangeSet) => ChangeSet): Faults => ({
  ports: onStore((store) => ({ commit: (set) => store.commit(change(set)) })),
})

/** A process that finds no row where it looks so. */
const blindTo = (name: string, by: string): Faults => ({
  ports: onStore((store) => ({
    read: async (tenant, reads) => {
      const found = await store.read(tenant, reads)
      return found.map((each, at) => {
        const read = reads[at]
        const isBlind = read && 'list' in read && read.list === name && read.by === by
        return isBlind ? { ...each, rows: [], total: 0 } : each
      })
    },
  })),
})

const mutants: Readonly<Record<string, Faults>> = {
  'that keeps the keys': committing((set) => ({
    ...set,
    removes: (set.removes ?? []).filter((each) => each.in !== 'subjectKeys'),
  })),
  'that leaves the blobs': {
    ports: (ports) => ({ ...ports, blobs: { ...ports.blobs, put: async () => {} } }),
  },
  'that leaves what members wrote': { parts: [] },
  'in spite of a hold on its subject': blindTo('legalHolds', 'bySubject'),
  'in spite of a hold on others and on age': blindTo('legalHolds', 'byActive'),
  'that finds no steps in sessions of others': blindTo('steps', 'bySubject'),
  'that finds no sessions of its subject': blindTo('sessions', 'ofSubject'),
}

describe('erasures, holds, ages and re-homings in any order', () => {
  it('take all of those who are erased and nothing of others', async () => {
    await fc.assert(
      fc.asyncProperty(histories, (given) => holdsFor(given)),
      { numRuns: process.env.COUNTERSIGN_PROVE ? 300 : 120 },
    )
  })

  for (const [name, faults] of Object.entries(mutants))
    it(`would show an erasure ${name}`, async () => {
      const property = fc.asyncProperty(histories, (given) => holdsFor(given, faults))
      const found = await fc.check(property, { numRuns: 400, seed: 5, endOnFailure: true })
      assert.ok(found.failed, 'it was not found')
    })
})
