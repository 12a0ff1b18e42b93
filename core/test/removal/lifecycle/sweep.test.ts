import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Conflict, Store } from '@countersign/core/ports'
import { applications } from '../../../applications/records.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { workItems } from '../../../kernel/work/records.ts'
import { nextSweep } from '../../../removal/lifecycle/sweep.ts'
import { day, value } from '../erasure/world.ts'
import { filled, purgeProcess } from './world.ts'

const kindOf = (row: object) => (row as { readonly kind?: unknown }).kind

describe('the sweep of purges', () => {
  it('is held up by no purge that is at work', async () => {
    const w = await filled()
    value(await w.process.service.applications.requestDeletion(w.admin, { applicationId: w.first }))
    await w.process.purger.tick()
    const conflicts: Conflict[] = []
    let sweeps = 0
    /** A purge that commits a piece, which writes its work item, before each commit of the sweep. */
    const store: Store = {
      ...w.store,
      commit: async (set) => {
        const isSweep = set.puts?.some(({ row }) => kindOf(row) === 'purge.sweep') ?? false
        if (!isSweep) return w.store.commit(set)
        sweeps++
        const [item] = w.store.rows(workItems).filter(({ row }) => row.kind === 'purge')
        assert.ok(item)
        await w.store.commit({ tenant: null, puts: [put(workItems, { ...item.row }, item)] })
        const outcome = await w.store.commit(set)
        if (!outcome.committed) conflicts.push(...outcome.conflicts)
        return outcome
      },
    }
    w.clock.jump(nextSweep(w.clock.now()) - w.clock.now())
    await purgeProcess({ ...w, store }).purger.tick()
    assert.deepEqual(conflicts, [])
    // One piece of each state, then the time of the next.
    assert.equal(sweeps, 3)
    const [sweep] = w.store.rows(workItems).filter(({ row }) => row.kind === 'purge.sweep')
    assert.equal(sweep?.row.due, nextSweep(w.clock.now()))
    assert.ok((sweep?.row.due ?? 0) - w.clock.now() <= day)
    const [application] = w.store
      .rows(applications)
      .filter(({ row }) => row.applicationId === w.first)
    assert.equal(application?.row.lifecycleState, 'pending_deletion')
  })
})
