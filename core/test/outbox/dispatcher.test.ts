import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answered, failed } from '../../testing/index.ts'
import { after, createRig, startedAt } from './rig.ts'

test('a delivery born leased goes out without a claim and is settled with its attempt', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const one = rig.process()
  one.dispatcher.start()
  await one.dispatcher.idle()
  const messageId = await one.owe(['wh_1'])
  await one.dispatcher.idle()

  assert.equal(rig.posts.length, 1)
  assert.equal(rig.posts[0]?.body, JSON.stringify({ id: messageId }))
  assert.equal(rig.count('outbox.claimed'), 0)
  const [delivery] = rig.deliveries()
  assert.deepEqual(
    [delivery?.row.status, delivery?.row.due, delivery?.row.attempts, delivery?.row.deliveredAt],
    ['delivered', null, 1, startedAt],
  )
  assert.equal(delivery?.leasedBy, null)
  const [attempt] = rig.attempts()
  assert.deepEqual(
    [attempt?.attempt, attempt?.trigger, attempt?.outcome, attempt?.responseStatus, attempt?.error],
    [1, 'event', 'delivered', 200, null],
  )
  assert.equal(attempt?.requestHeaders['webhook-id'], messageId)
})

test('what a dead process left behind is claimed when its lease ends, and not before', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const dead = rig.process()
  dead.dispatcher.start()
  rig.receiver = () => new Promise(() => {})
  await dead.owe(['wh_1'])
  await rig.clock.advance(10)
  assert.equal(rig.posts.length, 1)
  dead.crash()

  const heir = rig.process()
  rig.receiver = () => answered(200)
  heir.dispatcher.start()
  await rig.clock.advance(10_000)
  assert.equal(rig.posts.length, 1, 'the lease is respected')
  await rig.clock.advance(21_000)
  assert.equal(rig.posts.filter(({ owner }) => owner === heir.dispatcher.owner).length, 1)
  assert.equal(new Set(rig.posts.map(({ body }) => body)).size, 1, 'the same bytes')
  assert.equal(rig.count('delivery.lease_lost'), 1)
})

test('a failure is tried again on schedule, each try signed anew, until it succeeds', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const one = rig.process()
  one.dispatcher.start()
  let tries = 0
  rig.receiver = () => (++tries < 4 ? answered(500) : answered(200))
  await one.owe(['wh_1'], 'legacy')
  await rig.clock.advance(200_000)
  const marks = rig.posts.map(({ mark }) => mark)
  assert.equal(marks.length, 4)
  for (const [at, least] of [5_000, 25_000, 125_000].entries()) {
    const gap = (marks[at + 1] ?? 0) - (marks[at] ?? 0)
    assert.ok(gap >= least && gap < least + 100, `gap ${gap}`)
  }
  assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
  assert.deepEqual(
    rig.attempts().map(({ attempt, trigger }) => [attempt, trigger]),
    [
      [1, 'event'],
      [2, 'retry'],
      [3, 'retry'],
      [4, 'retry'],
    ],
  )
  assert.equal(new Set(rig.attempts().map((a) => a.requestHeaders['webhook-timestamp'])).size, 4)
})

test('spent attempts end in a dead letter and its consequence, in one commit', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const one = rig.process()
  one.dispatcher.start()
  rig.receiver = () => failed('connect')
  await one.owe(['wh_1'], 'legacy')
  await rig.clock.advance(300_000)
  assert.equal(rig.posts.length, 4)
  assert.equal(rig.deliveries()[0]?.row.status, 'dead_lettered')
  assert.equal(rig.hookRow('wh_1')?.reason, 'retries_exhausted')
})

test('a 410 stops everything to that endpoint at once: in memory, in the store and in other processes', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const one = rig.process({ pollMs: 600_000 })
  const two = rig.process({ pollMs: 600_000 })
  one.dispatcher.start()
  two.dispatcher.start()
  let answers = 0
  rig.receiver = () => after(rig.clock, 50, ++answers === 3 ? answered(410) : answered(503))
  for (let n = 0; n < 30; n++) await one.owe(['wh_1'])
  for (let n = 0; n < 30; n++) await two.owe(['wh_1'])
  await rig.clock.advance(50)
  const before = rig.posts.length
  assert.ok(before <= 32)
  await rig.clock.advance(80 * 3_600_000)
  assert.equal(rig.posts.length, before, 'not one POST after the 410')
  assert.equal(rig.hookRow('wh_1')?.reason, 'endpoint_gone')
  assert.ok(rig.deliveries().every(({ row }) => row.status === 'dead_lettered'))
})

test('a retry is on time however rarely the store is polled and whatever else rings meanwhile', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  await rig.hook('wh_2')
  const one = rig.process({ pollMs: 600_000 })
  one.dispatcher.start()
  rig.receiver = ({ url }) =>
    url.includes('wh_2')
      ? new Promise((resolve) => rig.clock.after(2_000, () => resolve(answered(200))))
      : answered(500)
  await one.owe(['wh_1', 'wh_2'])
  await rig.clock.advance(7_000)
  const marks = rig.posts.filter(({ endpointId }) => endpointId === 'wh_1').map(({ mark }) => mark)
  assert.equal(marks.length, 2, `POSTs at ${marks.join(', ')}`)
})
