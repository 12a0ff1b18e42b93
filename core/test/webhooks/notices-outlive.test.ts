import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveries } from '../../outbox/records.ts'
import { failed } from '../../testing/index.ts'
import { admin, code, day, fixture, hour, obliging, stranger, value } from './fixture.ts'

const failing = () => failed('timeout')

/** A webhook that is owed a notice, pending or scheduled for another try. */
async function owing(tried: boolean) {
  const world = fixture()
  const { id } = await world.created({ eventTypes: ['*'] })
  await world.pump(obliging)
  value(await world.service.requestVerification(admin, { webhookId: id }))
  if (tried) await world.pump(failing)
  return { ...world, id }
}

for (const tried of [false, true]) {
  const state = tried ? 'scheduled' : 'pending'

  test(`a notice that is ${state} outlives a turning off`, async () => {
    const world = await owing(tried)
    const { service, id, clock, runner } = world
    value(await service.turnOff(admin, { webhookId: id }))
    await runner.tick()
    const sent = world.posts.length
    for (let passed = 0; passed < day; passed += 6 * hour) {
      await world.pump(obliging)
      await clock.advance(6 * hour)
    }
    assert.deepEqual(
      world.posts.slice(sent).map(({ type }) => type),
      ['subscription.verification_requested'],
    )
  })

  test(`the removal ends a notice that is ${state}`, async () => {
    const world = await owing(tried)
    const { service, id, clock, runner } = world
    value(await service.remove(admin, { webhookId: id }))
    await runner.tick()
    const left = world.store.rows(deliveries).filter(({ row }) => row.due !== null)
    assert.deepEqual(left, [], 'none is due any more')
    const sent = world.posts.length
    for (let passed = 0; passed < day; passed += 6 * hour) {
      await world.pump(obliging)
      await clock.advance(6 * hour)
    }
    assert.equal(world.posts.length, sent)
  })
}

test('the log of a removed webhook can be read for its 7 days, by its own organization', async () => {
  const world = await owing(true)
  const { service, id, clock } = world
  const page = { page: 1, pageSize: 20 }
  value(await service.remove(admin, { webhookId: id }))
  assert.equal(code(await service.read(admin, { webhookId: id })), 'not_found')
  assert.equal(code(await service.deliveryLogs(admin, { webhookId: id, ...page })), null)
  assert.equal(code(await service.wholeDeliveryLog(admin, { webhookId: id })), null)
  assert.equal(code(await service.deliveryLogs(stranger, { webhookId: id, ...page })), 'not_found')
  assert.equal(
    code(await service.deliveryLogs(admin, { webhookId: `${id}0`, ...page })),
    'not_found',
  )
  await clock.advance(7 * day + hour)
  assert.equal(code(await service.deliveryLogs(admin, { webhookId: id, ...page })), 'not_found')
})
