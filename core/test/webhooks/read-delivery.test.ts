import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answered, failed } from '../../testing/index.ts'
import {
  admin,
  auditor,
  code,
  day,
  fixture,
  integrator,
  obliging,
  stranger,
  value,
} from './fixture.ts'

const isoOf = (ms: number) => new Date(ms).toISOString()

describe('a delivery that is read', () => {
  it('has the bytes that are sent, its attempts with what was answered, and the times to come', async () => {
    const world = fixture()
    const { clock, emit, pump, posts, service } = world
    const { id } = await world.created()
    await pump(obliging)
    await clock.advance(1)
    const event = await emit('session.flagged')
    const asked = { webhookId: id, eventId: event.id }
    const fresh = value(await service.readDelivery(auditor, asked))
    const now = clock.now()
    assert.deepEqual(fresh.attempts, [])
    assert.deepEqual(
      fresh.schedule,
      [0, 5_000, 30_000, 155_000].map((after) => isoOf(now + after)),
    )
    const entity = { body: 'no \ufffd thanks', headers: { 'x-reason': 'busy' }, truncated: true }
    await pump(() => answered(503, entity))
    await clock.advance(5_000)
    await pump(() => failed('timeout', 'nothing within 10 s'))
    const read = value(await service.readDelivery(auditor, asked))
    const sent = posts.filter(({ messageId }) => messageId === event.id)
    assert.equal(read.requestBody, new TextDecoder().decode(sent[0]?.body))
    assert.deepEqual(
      read.attempts.map((one) => [one.attempt, one.trigger, one.startedAt, one.error]),
      [
        [2, 'retry', isoOf(now + 5_000), 'timeout: nothing within 10 s'],
        [1, 'event', isoOf(now), 'answered 503, expected 2xx'],
      ],
    )
    const [second, first] = read.attempts
    assert.deepEqual(
      [first?.responseStatus, first?.responseBody, first?.responseHeaders, first?.truncated],
      [503, entity.body, entity.headers, true],
    )
    assert.deepEqual([second?.responseStatus, second?.responseBody], [null, null])
    assert.deepEqual(first?.requestHeaders, sent[0]?.headers)
    assert.equal(read.attemptCount, 2)
    assert.deepEqual(read.schedule, [isoOf(now + 30_000), isoOf(now + 155_000)])
    assert.equal(read.delivery.nextAttemptAt, read.schedule[0])
    assert.deepEqual([read.delivery.eventId, read.delivery.attempts], [event.id, 2])
    const list = value(await service.listDeliveries(auditor, { webhookId: id }))
    assert.deepEqual(list.rows[0], read.delivery, 'the row of the list')
    await clock.advance(30_000)
    await pump(obliging)
    const taken = value(await service.readDelivery(auditor, asked))
    assert.deepEqual([taken.delivery.status, taken.schedule], ['delivered', []])
    // Attempts leave the log after seven days, the last answer stays with the delivery.
    await clock.advance(7 * day)
    const old = value(await service.readDelivery(auditor, asked))
    assert.deepEqual([old.attempts, old.attemptCount], [[], 0])
    assert.equal(old.delivery.lastResponseStatus, 200)
  })

  it('shows its last twenty attempts and counts them all', async () => {
    const world = fixture()
    const { clock, emit, pump, service } = world
    const { id } = await world.created()
    await pump(obliging)
    const event = await emit('session.flagged')
    const asked = { webhookId: id, eventId: event.id }
    for (let round = 0; round < 25; round++) {
      await pump(() => answered(200))
      await clock.advance(1)
      value(await service.replay(integrator, asked))
    }
    const read = value(await service.readDelivery(auditor, asked))
    assert.deepEqual([read.attempts.length, read.attemptCount, read.delivery.round], [20, 25, 26])
    const times = read.attempts.map(({ startedAt }) => startedAt)
    assert.deepEqual(times, times.toSorted().toReversed())
    assert.equal(times[0], read.delivery.lastAttemptAt)
  })

  it('says of what a turning off ended that nothing is to come', async () => {
    const world = fixture()
    const { emit, pump, service } = world
    const { id } = await world.created()
    await pump(obliging)
    const event = await emit('review.case.created')
    value(await service.turnOff(admin, { webhookId: id }))
    const { delivery, schedule } = value(
      await service.readDelivery(auditor, { webhookId: id, eventId: event.id }),
    )
    assert.deepEqual(
      [delivery.status, delivery.nextAttemptAt, schedule],
      ['dead_lettered', null, []],
    )
  })

  it('is nothing to others, and neither is another id', async () => {
    const world = fixture()
    const { emit, service } = world
    const { id } = await world.created()
    const { id: eventId } = await emit('session.flagged')
    const unknown = [
      [stranger, { webhookId: id, eventId }],
      [admin, { webhookId: id, eventId: 'evt_nope' }],
      [admin, { webhookId: 'wh_nope', eventId }],
    ] as const
    for (const [actor, asked] of unknown)
      assert.equal(code(await service.readDelivery(actor, asked)), 'not_found')
  })

  it('never has a secret of the webhook', async () => {
    const world = fixture()
    const { emit, pump, service } = world
    const { id, signing } = await world.created({ signing: { method: 'shared_secret' } })
    const { id: eventId } = await emit('session.flagged')
    await pump(obliging)
    const asked = { webhookId: id, eventId }
    const text = JSON.stringify([
      value(await service.readDelivery(auditor, asked)),
      value(await service.listDeliveries(auditor, { webhookId: id })),
    ])
    const secret = signing.secret ?? ''
    assert.ok(secret.startsWith('whsec_'))
    assert.ok(!text.includes(secret) && !text.includes(secret.slice('whsec_'.length)))
  })
})
