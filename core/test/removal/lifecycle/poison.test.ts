import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StaffActor } from '../../../kernel/callers/actor.ts'
import { purges } from '../../../removal/lifecycle/records.ts'
import { day, hour, value } from '../erasure/world.ts'
import { due } from './remains.ts'
import { purgeProcess } from './world.ts'

const ops: StaffActor = { kind: 'staff', name: 'ops' }
const note = { note: 'the disk was replaced' }

/** A purge that was given up, and its message. */
async function poisoned() {
  const w = await due()
  const broken = purgeProcess({
    ...w,
    blobs: { ...w.blobs, list: () => Promise.reject(new Error('a broken disk')) },
  })
  for (let wait = 0; wait < 6; wait++) {
    await broken.purger.tick()
    w.clock.jump(hour)
  }
  const { purgePoison, applications } = w.process.service
  const listed = value(await purgePoison.list(ops, { page: 1, pageSize: 20 })).messages
  assert.equal(listed.length, 1)
  const [message] = listed
  assert.ok(message)
  const state = async () =>
    value(await applications.read(w.admin, { applicationId: w.first })).lifecycleState
  const settled = { messageId: message.messageId, ...note }
  return { ...w, purgePoison, message, settled, state }
}

describe('a purge that was given up', () => {
  it('is listed with its step and what failed', async () => {
    const { message, first, tenantId } = await poisoned()
    assert.deepEqual(
      { ...message, messageId: null, firstFailedAt: null },
      {
        messageId: null,
        tenantId,
        applicationId: first,
        step: 2,
        attempts: 5,
        lastError: 'Error: a broken disk',
        firstFailedAt: null,
        state: 'poisoned',
      },
    )
  })

  it('goes on at once when it is requeued', async () => {
    const w = await poisoned()
    const requeued = value(await w.purgePoison.requeue(ops, w.settled))
    assert.equal(requeued.state, 'queued')
    const twice = value(await w.purgePoison.requeue(ops, w.settled))
    assert.equal(twice.state, 'queued')
    const refused = await w.purgePoison.resolve(ops, w.settled)
    assert.equal(refused.ok || refused.refusal.code, 'invalid_transition')
    await purgeProcess(w).purger.tick()
    assert.equal(await w.state(), 'purged')
    assert.deepEqual(w.store.rows(purges), [])
  })

  it('goes on with the next sweep when it is resolved', async () => {
    const w = await poisoned()
    const heir = purgeProcess(w)
    value(await w.purgePoison.resolve(ops, w.settled))
    assert.equal(await w.state(), 'purging')
    w.clock.jump(day)
    await heir.purger.tick()
    assert.equal(await w.state(), 'purged')
  })

  it('is of no concern to members, and unknown by another id', async () => {
    const w = await poisoned()
    const refused = await w.purgePoison.list(w.admin, { page: 1, pageSize: 20 })
    assert.equal(refused.ok || refused.refusal.code, 'forbidden')
    const unknown = await w.purgePoison.requeue(ops, { messageId: 'prg_unknown', ...note })
    assert.equal(unknown.ok || unknown.refusal.code, 'not_found')
  })
})
