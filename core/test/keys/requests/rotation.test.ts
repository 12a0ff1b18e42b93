import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tenantKeys } from '../../../content/vault/records.ts'
import { code, createWorld, staff, system, value } from './world.ts'

/** A request for the rotation that was approved; the organization has an encryption key. */
async function approved() {
  const world = await createWorld()
  const { requests, service, ada } = world
  value(await service.subjects.lookup(ada, { dataSubjectId: 'grace' }))
  const { id } = value(
    await requests.submit(ada, { action: 'rotate-tenant-key', reason: 'yearly' }),
  )
  value(await requests.approve(staff, { requestId: id }))
  const read = async () => value(await requests.read(ada, { requestId: id }))
  const versions = () =>
    world.store.rows(tenantKeys).flatMap(({ row }) => row.keys.map(({ version }) => version))
  return { ...world, id, read, versions }
}

describe('the rotation of the encryption key by a request', () => {
  it('is executed when the old key is gone, and not before', async () => {
    const { requests, service, clock, id, read, versions, audited } = await approved()
    const begun = value(await requests.execute(staff, { requestId: id }))
    assert.deepEqual([begun.status, begun.executedAt, begun.result], ['executing', null, null])
    assert.deepEqual(versions(), [1, 2])
    assert.deepEqual(value(await requests.execute(staff, { requestId: id })), begun)
    service.start()
    await clock.advance(10_000)
    assert.deepEqual(versions(), [2])
    const { status, executedBy, executedAt } = await read()
    assert.deepEqual([status, executedBy], ['executed', 'staff:ops'])
    assert.ok(executedAt !== null && executedAt > begun.requestedAt)
    await service.drain(0)
    const told = audited().map(({ action, actor }) => `${actor} ${action}`)
    assert.deepEqual(told.slice(-4), [
      'staff:ops tenant_key.rotation_started',
      'staff:ops key_request.executing',
      'system tenant_key.rotated',
      'system key_request.executed',
    ])
  })

  it('fails while the rotation does not get on, and is executed once it does', async () => {
    const { requests, service, store, clock, id, read, versions } = await approved()
    const scrub = store.scrub.bind(store)
    store.scrub = () => Promise.reject(new Error('the disk is full'))
    value(await requests.execute(staff, { requestId: id }))
    service.start()
    await clock.advance(120_000)
    const failed = await read()
    assert.deepEqual([failed.status, failed.result?.failure?.code], ['failed', 'unavailable'])
    store.scrub = scrub
    value(await requests.execute(staff, { requestId: id }))
    await clock.advance(60_000)
    assert.equal((await read()).status, 'executed')
    assert.deepEqual(versions(), [2])
    await service.drain(0)
  })

  it('fails where nothing is sealed yet, and where another rotation is under way', async () => {
    const { requests, ada } = await createWorld()
    const { id } = value(
      await requests.submit(ada, { action: 'rotate-tenant-key', reason: 'yearly' }),
    )
    value(await requests.approve(staff, { requestId: id }))
    const nothing = value(await requests.execute(staff, { requestId: id }))
    assert.deepEqual([nothing.status, nothing.result?.failure?.code], ['failed', 'not_found'])

    const other = await approved()
    value(await other.service.tenantKeys.rotate(system, { tenantId: other.tenantId }))
    const busy = value(await other.requests.execute(staff, { requestId: other.id }))
    assert.deepEqual([busy.status, busy.result?.failure?.code], ['failed', 'already_rotating'])
    value(await other.service.tenantKeys.work(system))
    const again = value(await other.requests.execute(staff, { requestId: other.id }))
    assert.equal(again.status, 'executing')
    assert.equal(
      code(await other.requests.reveal(other.ada, { requestId: other.id })),
      'invalid_transition',
    )
  })
})
