import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemoryBlobs } from '@countersign/core/testing'
import { steps } from '../../../content/records.ts'
import { workItems } from '../../../kernel/work/records.ts'
import { messages } from '../../../outbox/records.ts'
import { Killed, mortalPorts } from './mortal.ts'
import {
  hour,
  memoryPorts,
  openCase,
  organization,
  processOn,
  readable,
  storeSession,
  value,
} from './world.ts'

const grace = 'grace@example.com'
const alan = 'alan@example.com'

async function filled() {
  const ports = memoryPorts()
  const process = processOn(ports)
  const { service } = process
  const acme = await organization(service)
  const { tenantId, first, admin } = acme
  await service.webhooks.create(admin, { url: 'https://hook.example/', eventTypes: ['*'] })
  const base = { tenantId, applicationId: first }
  await storeSession(process, {
    ...base,
    sessionId: 'own',
    subject: grace,
    steps: [
      { stepId: 'a', text: 'of Grace' },
      { stepId: 'b', text: 'of Alan', subject: alan },
    ],
    metadata: 'about Grace',
  })
  await storeSession(process, {
    ...base,
    sessionId: 'other',
    subject: alan,
    steps: [{ stepId: 'a', text: 'of Grace', subject: grace }],
  })
  const review = await openCase(service, acme.application, 'own')
  await service.reviewCases.cancel(acme.application, {
    reviewCaseId: review.reviewCaseId,
    reasonCategory: 'end_user_cancelled',
  })
  const { erasureRequestId } = value(
    await service.erasureRequests.create(admin, {
      dataSubjectId: grace,
      reason: 'objection',
      confirm: true,
    }),
  )
  return { ...ports, ...acme, process, erasureRequestId }
}

/** Runs the erasure in a process that dies at a point, then in others until it is done; the calls of the first. */
async function killedAt(at: number, when: 'before' | 'after'): Promise<number> {
  const w = await filled()
  const dying = mortalPorts(w, { at, when })
  const mortal = processOn(dying)
  await mortal.runner.tick().catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error
  })
  // The lease of what it held ends.
  w.clock.jump(hour)
  const heir = processOn(w)
  await heir.runner.tick()
  const done = value(
    await heir.service.erasureRequests.read(w.admin, { erasureRequestId: w.erasureRequestId }),
  )
  const what = `killed ${when} call ${at}`
  assert.equal(done.status, 'completed', what)
  const counts = { applications: 1, sessions: 2, payloads: 5, cases: 1, annotations: 0 }
  assert.deepEqual(done.counts, counts, what)
  assert.deepEqual(
    await readable(heir, w.tenantId),
    ['own b input: of Alan', 'own b output: of Alan, answered'],
    what,
  )
  assert.deepEqual(
    w.store.rows(steps).map(({ row }) => `${row.sessionId} ${row.stepId} ${row.payloadStatus}`),
    ['other a erased', 'own a erased', 'own b readable'],
    what,
  )
  const told = w.store.rows(messages).map(({ row }) => row.type)
  assert.equal(told.filter((type) => type === 'gdpr.erasure_completed').length, 1, what)
  const left = w.store.rows(workItems).filter(({ row }) => row.kind === 'erasure')
  assert.deepEqual(left, [], what)
  return dying.calls()
}

describe('an erasure whose process is killed', () => {
  for (const when of ['before', 'after'] as const)
    it(`at any call, ${when} it took effect, is ended by the next, counted and told once`, async () => {
      let at = 1
      for (; ; at++) if ((await killedAt(at, when)) < at) break
      assert.ok(at > 60, `${at} calls`)
    })

  it('does not end where blobs are never removed', async () => {
    const w = await filled()
    const broken = { ...createMemoryBlobs(), get: () => Promise.reject(new Error('a broken disk')) }
    const process = processOn({ ...w, blobs: broken })
    await process.runner.tick()
    const request = value(
      await process.service.erasureRequests.read(w.admin, { erasureRequestId: w.erasureRequestId }),
    )
    assert.equal(request.status, 'scheduled')
    assert.deepEqual(
      (await readable(w.process, w.tenantId)).filter((text) => !text.includes('Alan')),
      [],
      'keys are destroyed first',
    )
  })
})
