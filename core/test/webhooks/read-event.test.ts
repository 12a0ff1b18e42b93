import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { messages } from '../../outbox/records.ts'
import { answered } from '../../testing/index.ts'
import { admin, auditor, code, fixture, integrator, obliging, stranger, value } from './fixture.ts'

describe('an event', () => {
  it('is read with its delivery to each webhook, and with nothing of chats', async () => {
    const world = fixture()
    const { service, emit, pump, reviewEvents, store } = world
    const [first, second] = [await world.created(), await world.created()]
    const third = await world.created({ eventTypes: ['session.flagged'] })
    await pump(obliging)
    const { id: eventId } = await emit('review.case.created')
    await pump((post) => (post.endpointId === second.id ? answered(503) : obliging(post)))
    const [found] = await store.read(null, [get(messages, [eventId])])
    const message = one(messages, found)
    assert.ok(message)
    const endpointIds = [...message.row.endpointIds, 'nch_1']
    await store.commit({
      tenant: null,
      puts: [put(messages, { ...message.row, endpointIds }, message)],
    })
    const read = value(await reviewEvents.read(integrator, { eventId }))
    assert.deepEqual([read.event.id, read.event.type], [eventId, 'review.case.created'])
    assert.deepEqual(
      new Map(
        read.deliveries.map((each) => [each.webhookId, [each.status, each.lastResponseStatus]]),
      ),
      new Map([
        [first.id, ['delivered', 200]],
        [second.id, ['retry_scheduled', 503]],
      ]),
    )
    for (const { webhookId, ...delivery } of read.deliveries) {
      const own = value(await service.readDelivery(auditor, { webhookId, eventId }))
      assert.deepEqual(delivery, own.delivery)
    }
    value(await service.remove(admin, { webhookId: second.id }))
    const after = value(await reviewEvents.read(integrator, { eventId }))
    assert.deepEqual(
      after.deliveries.find(({ webhookId }) => webhookId === second.id)?.status,
      'dead_lettered',
      'of a webhook that was removed',
    )
    assert.ok(!after.deliveries.some(({ webhookId }) => webhookId === third.id))
  })

  it('is nothing to those without the right, to others, and if it is an outcome', async () => {
    const world = fixture()
    const { emit, reviewEvents, store } = world
    await world.created()
    const { id: eventId } = await emit('review.case.created')
    assert.equal(code(await reviewEvents.read(auditor, { eventId })), 'forbidden')
    assert.equal(code(await reviewEvents.read(stranger, { eventId })), 'not_found')
    assert.equal(code(await reviewEvents.read(integrator, { eventId: 'evt_1' })), 'not_found')
    const [found] = await store.read(null, [get(messages, [eventId])])
    const message = one(messages, found)
    assert.ok(message)
    const outcome = { ...message.row, messageId: 'cb_1', type: 'review.outcome' as const }
    await store.commit({ tenant: null, puts: [put(messages, outcome, null)] })
    assert.equal(code(await reviewEvents.read(integrator, { eventId: 'cb_1' })), 'not_found')
  })
})
