import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unwrap } from '@countersign/core'
import { applications } from '../../applications/records.ts'
import { batches } from '../../content/seal-records.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { evidenceWorld } from './world.ts'

/** A sealed session whose batch is gone, in an application in some state. */
async function withoutBatch(lifecycleState: 'active' | 'purging') {
  const world = await evidenceWorld()
  await world.stored()
  const { evidence } = world.service
  assert.equal((await evidence.certificate(world.actor, { sessionId: 'ses_1' })).ok, true)
  const [application] = world.store.rows(applications)
  const [batch] = world.store.rows(batches)
  assert.ok(application && batch)
  const { tenantId, applicationId, batchId } = batch.row
  const outcome = await world.store.commit({
    tenant: tenantId,
    puts: [put(applications, { ...application.row, lifecycleState }, application)],
    removes: [
      { in: batches.name, key: [tenantId, applicationId, batchId], version: batch.version },
    ],
  })
  assert.ok(outcome.committed)
  return world
}

test('a session whose purge has destroyed the nonces is told as not sealed', async () => {
  const { service, actor } = await withoutBatch('purging')
  const { evidence, sessions } = service
  const { integrity } = unwrap(await evidence.read(actor, { sessionId: 'ses_1' }))
  assert.deepEqual(
    [integrity.merkle, integrity.leafInputStatus, integrity.earlier],
    [null, 'not_sealed', []],
  )
  for (const refused of [
    await evidence.certificate(actor, { sessionId: 'ses_1' }),
    await sessions.proof(actor, { sessionId: 'ses_1' }),
  ])
    assert.equal(refused.ok || refused.refusal.code, 'not_sealed')
})

test('a batch that is lost otherwise is damage', async () => {
  const { service, actor } = await withoutBatch('active')
  await assert.rejects(
    service.evidence.read(actor, { sessionId: 'ses_1' }),
    /batch bat_.* is not there/,
  )
})
