import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deliveries } from '../../outbox/records.ts'
import { failed } from '../../testing/index.ts'
import { admin, code, day, type Fixture, fixture, hour, obliging, value } from './fixture.ts'

/** Events at different hours whose last attempts fail three days later, and one that is taken. */
async function givenUp(hours: readonly number[]): Promise<Fixture & { readonly id: string }> {
  const world = fixture()
  const { id } = await world.created({ eventTypes: ['*'] })
  await world.pump(obliging)
  for (const apart of hours) {
    // Of the older family, whose failure turns nothing off; its last attempt is 155 s after the first.
    await world.emit('session.flagged')
    for (let tries = 0; tries < 5; tries++) {
      await world.pump(() => failed('timeout'))
      await world.clock.advance(125_000)
    }
    await world.clock.advance(apart * hour)
  }
  await world.emit('session.flagged')
  await world.pump(obliging)
  return { ...world, id }
}

test('by given_up, a recovery names what was given up in the span, and by event what happened in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
      fc.nat({ max: 13 }),
      fc.integer({ min: 1, max: 13 }),
      fc.constantFrom('event' as const, 'given_up' as const),
      async (hours, begins, lasts, by) => {
        const { id, service, store, clock } = await givenUp(hours)
        const first = clock.now() - day
        const from = first + begins * 2 * hour
        const until = from + lasts * hour
        const expected = store
          .rows(deliveries)
          .filter(({ row }) => row.endpointId === id && row.kind === 'event')
          .filter(({ row }) => {
            const at = by === 'event' ? row.createdAt : row.endedAt
            const counts = by === 'event' || row.status === 'dead_lettered'
            return counts && at !== null && from <= at && at < until
          })
          .map(({ row }) => row.messageId)
        const told = value(await service.recover(admin, { webhookId: id, from, until, by }))
        assert.deepEqual(told.results.map(({ eventId }) => eventId).sort(), expected.sort())
        const times = [from, until].map((ms) => new Date(ms).toISOString())
        assert.deepEqual(told.selected, { by, from: times[0], until: times[1], types: null })
      },
    ),
    { numRuns: 20 },
  )
})

test('a span that is none is refused before what state the webhook is in', async () => {
  const { id, service } = await givenUp([])
  value(await service.turnOff(admin, { webhookId: id }))
  const span = { from: 2, until: 1 }
  assert.equal(code(await service.recover(admin, { webhookId: id, ...span })), 'invalid_request')
  const by = 'neither' as 'event'
  const told = await service.recover(admin, { webhookId: id, from: 1, until: 2, by })
  assert.equal(told.ok ? null : told.refusal.code, 'invalid_request')
})

test('by given_up, a recovery finds an event that was tried for three days', async () => {
  const world = fixture()
  const { clock, service } = world
  const { id } = await world.created({ eventTypes: ['*'] })
  await world.pump(obliging)
  const event = await world.emit('review.case.decided')
  for (let passed = 0; passed < 4 * day; passed += 2 * hour) {
    await world.pump(() => failed('timeout'))
    await clock.advance(2 * hour)
  }
  value(await service.turnOn(admin, { webhookId: id }))
  const until = clock.now()
  const span = { from: until - 2 * day, until }
  assert.deepEqual(value(await service.recover(admin, { webhookId: id, ...span })).results, [])
  const found = value(await service.recover(admin, { webhookId: id, ...span, by: 'given_up' }))
  assert.deepEqual(found.results, [{ eventId: event.id, result: 'replayed' }])
})
