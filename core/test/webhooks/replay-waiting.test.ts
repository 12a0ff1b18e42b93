import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answered } from '../../testing/index.ts'
import { admin, auditor, code, fixture, integrator, minute, obliging, value } from './fixture.ts'

async function verified() {
  const world = fixture()
  const { id } = await world.created()
  await world.pump(obliging)
  return { ...world, id }
}

test('a replay of what waits for its next try makes it now, and takes no step of the schedule', async () => {
  const world = await verified()
  const { service, id, clock, posts, audits, webhookOf, deliveryOf } = world
  const event = await world.emit('review.case.decided')
  const asked = { webhookId: id, eventId: event.id }
  const ask = async () => value(await service.replay(integrator, asked)).results[0]?.result
  const refusing = () => world.pump(() => answered(503))
  assert.equal(await ask(), 'in_progress', 'its first try is due')
  await refusing()
  await clock.advance(6_000)
  const flight = await world.take()
  assert.equal(await ask(), 'in_progress', 'its try is under way')
  assert.ok(flight && flight !== 'over')
  await flight.land(answered(503))
  for (let times = 0; times < 15; times++) {
    await clock.advance(minute)
    assert.equal(await ask(), 'brought_forward')
    assert.equal(await ask(), 'in_progress', 'it is due')
    assert.equal(await refusing(), 1)
    const due = deliveryOf(id, event.id)?.row.due ?? 0
    const wait = due - clock.now()
    assert.ok(wait >= 5 * minute && wait <= 6 * minute, `the wait is ${wait} ms, as it was`)
  }
  const sent = posts.filter(({ messageId }) => messageId === event.id)
  assert.equal(sent.length, 17)
  assert.equal(new Set(sent.map(({ body }) => Buffer.from(body).toString())).size, 1)
  const row = deliveryOf(id, event.id)?.row
  assert.deepEqual([row?.round, row?.attempts, row?.status], [1, 17, 'retry_scheduled'])
  assert.equal(webhookOf(id).status, 'receiving')
  const last = audits().at(-1)
  assert.deepEqual(
    [last?.action, last?.detail],
    ['webhook.replayed', { eventId: event.id, result: 'brought_forward' }],
  )
  assert.equal(code(await service.replay(auditor, asked)), 'forbidden')
})

test('a dry run of a recovery counts what it would do, and writes nothing', async () => {
  const world = await verified()
  const { service, id, clock, emit, store } = world
  const from = clock.now()
  for (let number = 0; number < 105; number++) await emit('session.flagged')
  for (const wait of [0, 5_000, 25_000, 125_000]) {
    await clock.advance(wait)
    await world.pump(() => answered(503))
  }
  await emit('review.case.created')
  await world.pump(obliging)
  await clock.advance(1)
  await emit('review.case.decided')
  await clock.advance(1)
  const asked = { webhookId: id, from, until: clock.now() }
  let commits = 0
  const commit = store.commit.bind(store)
  store.commit = async (set) => {
    commits++
    return commit(set)
  }
  const dry = value(await service.recover(integrator, { ...asked, dryRun: true }))
  assert.equal(commits, 0)
  assert.deepEqual(dry.counts, { replayed: 105, alreadyDelivered: 1, inProgress: 1 })
  assert.deepEqual([dry.dryRun, dry.results], [true, []])
  const real = value(await service.recover(integrator, asked))
  assert.deepEqual(real.counts, dry.counts)
  assert.deepEqual(real.selected, dry.selected)
  assert.equal(real.results.length, 107)
  assert.ok(commits > 0)
  const again = value(await service.recover(integrator, { ...asked, dryRun: true }))
  assert.deepEqual(again.counts, { replayed: 0, alreadyDelivered: 1, inProgress: 106 })
  const refused = await service.recover(auditor, { ...asked, dryRun: true })
  assert.equal(code(refused), 'forbidden')
  value(await service.turnOff(admin, { webhookId: id }))
  const off = await service.recover(integrator, { ...asked, dryRun: true })
  assert.equal(code(off), 'invalid_transition')
})
