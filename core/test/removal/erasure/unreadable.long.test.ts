import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeSet } from '@countersign/core/ports'
import fc from 'fast-check'
import { type ErasureMark, erasureMarks } from '../../../content/erasure-marks.ts'
import { erasedSubjects, type SubjectKey, subjectKeys } from '../../../content/vault/records.ts'
import { evidencePackages } from '../../../evidence/packages/records.ts'
import { reviewCases } from '../../../review/records.ts'
import type { Faults } from './ingested.ts'
import { deaths, holdsAt } from './unreadable.ts'

/** Processes of the erasure whose commits are others. */
const committing = (change: (set: ChangeSet) => ChangeSet): Faults => ({
  ports: (ports) => ({
    ...ports,
    store: { ...ports.store, commit: (set) => ports.store.commit(change(set)) },
  }),
})

const keyless = (isMeant: (subjectId: string) => boolean) =>
  committing((set) => ({
    ...set,
    removes: (set.removes ?? []).filter(
      ({ in: name, key }) => name !== subjectKeys.name || !isMeant(String(key[2])),
    ),
    puts: (set.puts ?? []).filter(
      ({ in: name, row }) =>
        name !== erasedSubjects.name || !isMeant((row as SubjectKey).subjectId),
    ),
  }))

const mutants: Readonly<Record<string, Faults>> = {
  'that marks nobody': committing((set) => ({
    ...set,
    puts: (set.puts ?? []).filter(({ in: name }) => name !== erasureMarks.name),
  })),
  'that destroys the keys of the person after it has waited': keyless((id) =>
    id.startsWith('sub_'),
  ),
  'that destroys the keys of their sessions last': keyless((id) => id.startsWith('session:')),
  'that destroys the keys of submissions last': keyless((id) => id.startsWith('submission:')),
  'that looks for no case that names the person': {
    ports: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        read: async (tenant, reads) => {
          const found = await ports.store.read(tenant, reads)
          return found.map((each, at) => {
            const read = reads[at]
            const isMeant =
              read && 'list' in read && read.list === reviewCases.name && read.by === 'ofSubject'
            return isMeant ? { rows: [], total: 0 } : each
          })
        },
      },
    }),
  },
  'that ends packages last': committing((set) => ({
    ...set,
    removes: (set.removes ?? []).filter(({ in: name }) => name !== evidencePackages.name),
    puts: (set.puts ?? []).map((each) =>
      each.in === erasureMarks.name
        ? { ...each, row: { ...(each.row as ErasureMark), packagesOf: [] } }
        : each,
    ),
  })),
}

describe('a person whose erasure has begun', () => {
  it('is shown by no read, wherever the process of the erasure dies', async () => {
    await fc.assert(
      fc.asyncProperty(deaths, (death) => holdsAt(death)),
      { numRuns: 40 },
    )
  })

  for (const [name, faults] of Object.entries(mutants))
    it(`would be seen by an erasure ${name}`, async () => {
      const property = fc.asyncProperty(deaths, (death) => holdsAt(death, faults))
      const found = await fc.check(property, { numRuns: 60, seed: 7, endOnFailure: true })
      assert.ok(found.failed, 'it was not found')
    })
})
