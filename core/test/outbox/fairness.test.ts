import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyName } from '../../outbox/records.ts'
import { answered, failed } from '../../testing/index.ts'
import { after, createRig, type Rig } from './rig.ts'

/** Counts POSTs in flight, and the most there were at a time, by some name. */
function gauge(
  rig: Rig,
  nameOf: (endpointId: string) => string,
  ms: number,
  result = answered(200),
) {
  const now = new Map<string, number>()
  const most = new Map<string, number>()
  rig.receiver = async (exchange) => {
    const name = nameOf(new URL(exchange.url).hostname.replace('.test', ''))
    const count = (now.get(name) ?? 0) + 1
    now.set(name, count)
    most.set(name, Math.max(most.get(name) ?? 0, count))
    await after(rig.clock, ms, result)
    now.set(name, (now.get(name) ?? 0) - 1)
    return result
  }
  return most
}

async function oweMany(
  rig: Rig,
  endpointIds: readonly string[],
  each: number,
  policy: PolicyName = 'once',
) {
  const maker = rig.process()
  for (let n = 0; n < each; n++) for (const id of endpointIds) await maker.owe([id], policy)
  await rig.clock.advance(1)
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(3, '0')}`)

const tenantOf = (id: string) => (Number(id.slice(3)) < 6 ? 'ten_a' : 'ten_b')
const caps = [
  ['endpoint', (id: string) => id, { slotsPerEndpoint: 6 }, 6],
  ['tenant', tenantOf, { slotsPerTenant: 18 }, 18],
  ['process', () => 'all', { slots: 30, slotsInReserve: 0 }, 30],
  ['process that keeps a reserve', () => 'all', { slots: 30, slotsInReserve: 6 }, 24],
] as const
for (const [what, nameOf, options, cap] of caps)
  test(`POSTs in flight reach the cap of one ${what} and stay within it`, async () => {
    const rig = createRig()
    const ids = numbered('wh_', 12)
    for (const id of ids) await rig.hook(id, tenantOf(id))
    await oweMany(rig, ids, 20)
    const most = gauge(rig, nameOf, 100)
    rig.process(options).dispatcher.start()
    await rig.clock.advance(3_000)
    assert.equal(rig.posts.length, 240)
    assert.equal(Math.max(...most.values()), cap)
  })

test('a tenant with a thousand times the work does not delay another: due work is served within one round', async () => {
  const rig = createRig()
  const crowd = numbered('wh_a', 30)
  for (const id of crowd) await rig.hook(id, 'ten_a')
  await rig.hook('wh_z', 'ten_z')
  await oweMany(rig, crowd, 40)
  await oweMany(rig, ['wh_z'], 3)
  gauge(rig, (id) => id, 100)
  rig.process({ slots: 16, slotsPerTenant: 12, slotsPerEndpoint: 4 }).dispatcher.start()
  await rig.clock.advance(350)
  const served = rig.posts.filter(({ endpointId }) => endpointId === 'wh_z')
  assert.equal(served.length, 3, `all of the small tenant's work within the first slots`)
})

test('an endpoint that only times out is tried one at a time and leaves the slots to others', async () => {
  const rig = createRig()
  const dead = numbered('wh_dead', 50)
  for (const id of dead) await rig.hook(id, 'ten_dead')
  await rig.hook('wh_live', 'ten_live')
  const process = rig.process({ slots: 32, slotsPerTenant: 24, slotsForSuspects: 16 })
  await oweMany(rig, dead, 20)
  let deadNow = 0
  let deadMost = 0
  const perEndpoint = new Map<string, number>()
  let steady = false
  rig.receiver = async (exchange) => {
    if (exchange.url.includes('live')) return after(rig.clock, 5, answered(200))
    deadNow++
    perEndpoint.set(exchange.url, (perEndpoint.get(exchange.url) ?? 0) + 1)
    if (steady) {
      deadMost = Math.max(deadMost, deadNow)
    }
    await after(rig.clock, 10_000, failed('timeout'))
    deadNow--
    perEndpoint.set(exchange.url, (perEndpoint.get(exchange.url) ?? 0) - 1)
    return failed('timeout')
  }
  process.dispatcher.start()
  await rig.clock.advance(200_000)
  steady = true
  const before = rig.posts.length
  const sent: number[] = []
  for (let n = 0; n < 20; n++) {
    await process.owe(['wh_live'], 'once')
    sent.push(rig.clock.monotonic())
    await rig.clock.advance(1_000)
    assert.ok(Math.max(...perEndpoint.values()) <= 1, 'one at a time')
  }
  const live = rig.posts.slice(before).filter(({ endpointId }) => endpointId === 'wh_live')
  assert.equal(live.length, 20)
  for (const [at, { mark }] of live.entries())
    assert.ok(mark - (sent[at] ?? 0) <= 50, `the neighbour waited ${mark - (sent[at] ?? 0)} ms`)
  assert.ok(deadMost <= 16)
})

test('one failure among successes slows nothing down', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  await oweMany(rig, ['wh_1'], 300, 'legacy')
  let count = 0
  let now = 0
  let most = 0
  rig.receiver = async () => {
    most = Math.max(most, ++now)
    const result = answered(++count % 5 === 0 ? 500 : 200)
    await after(rig.clock, 100, result)
    now--
    return result
  }
  rig.process().dispatcher.start()
  await rig.clock.advance(4_000)
  assert.equal(rig.posts.length, 300)
  assert.equal(most, 16)
})

test('drain takes nothing new, lets what is in flight end, gives back the rest and leaves no timer', async () => {
  const rig = createRig()
  const ids = numbered('wh_', 5)
  for (const id of ids) await rig.hook(id)
  await oweMany(rig, ids, 30)
  gauge(rig, (id) => id, 2_000)
  const process = rig.process()
  process.dispatcher.start()
  await rig.clock.advance(500)
  const inFlight = rig.posts.length
  assert.ok(inFlight > 0)
  const done = process.dispatcher.drain(12_000)
  assert.equal(process.dispatcher.intake.offer('wh_000'), null)
  await rig.clock.advance(3_000)
  await done
  assert.equal(rig.posts.length, inFlight, 'nothing new was sent')
  assert.equal(rig.clock.waiting(), 0, 'no timer is left')
  for (const { row, leasedBy } of rig.deliveries()) {
    assert.equal(leasedBy, null)
    assert.equal(row.attempts, row.status === 'delivered' ? 1 : 0)
  }
  assert.equal(rig.attempts().length, inFlight)
  // Whoever comes next sends the rest at once, without waiting for a lease.
  gauge(rig, (id) => id, 5)
  rig.process().dispatcher.start()
  await rig.clock.advance(5_000)
  assert.equal(rig.posts.length, 150)
})

test('drain is bounded: an answer that does not come in time is left to the lease', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = rig.process()
  process.dispatcher.start()
  rig.receiver = () => new Promise(() => {})
  await process.owe(['wh_1'])
  await rig.clock.advance(10)
  const done = process.dispatcher.drain(3_000)
  await rig.clock.advance(3_001)
  await done
  assert.equal(rig.deliveries()[0]?.leasedBy, process.dispatcher.owner)
  assert.equal(rig.clock.waiting(), 0)
})

test('a delivery owed while draining is given back at once', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = rig.process()
  process.dispatcher.start()
  rig.receiver = () => after(rig.clock, 1_000, answered(200))
  await process.owe(['wh_1'])
  await rig.clock.advance(1)
  const owing = process.owe(['wh_1'])
  const done = process.dispatcher.drain(5_000)
  await owing
  await rig.clock.advance(2_000)
  await done
  assert.equal(rig.posts.length, 1)
  const rest = rig.deliveries().filter(({ row }) => row.status === 'pending')
  assert.deepEqual(
    rest.map(({ row, leasedBy }) => [row.attempts, leasedBy]),
    [[0, null]],
  )
})
