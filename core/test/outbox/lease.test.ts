import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Store, StoreError } from '../../base/ports/index.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { replay } from '../../outbox/machine.ts'
import { deliveries } from '../../outbox/records.ts'
import { answered } from '../../testing/index.ts'
import { after, createRig, type Process } from './rig.ts'

const day = 86_400_000

async function started(process: Process): Promise<Process> {
  process.dispatcher.start()
  await process.dispatcher.idle()
  return process
}

test('a worker that stalls past its lease changes nothing when it comes back', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const slow = await started(rig.process())
  rig.receiver = () => after(rig.clock, 1_000, answered(500))
  await slow.owe(['wh_1'])
  await rig.clock.advance(500)
  slow.stall()
  rig.receiver = () => answered(200)
  const quick = await started(rig.process())
  await rig.clock.advance(40_000)
  assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
  const version = rig.deliveries()[0]?.version
  slow.resume()
  await rig.clock.advance(1_000)
  assert.equal(rig.count('delivery.stale_completion'), 1)
  assert.equal(rig.deliveries()[0]?.version, version)
  assert.deepEqual(
    rig.attempts().map(({ attempt, outcome, error }) => [attempt, outcome, error]),
    [
      [1, 'failed', 'interrupted'],
      [2, 'delivered', null],
    ],
  )
  assert.equal(rig.posts.filter(({ owner }) => owner === quick.dispatcher.owner).length, 1)
})

test('what nine crashes interrupted is delivered within a minute of the next start', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  rig.receiver = () => new Promise(() => {})
  const first = await started(rig.process())
  await first.owe(['wh_1'], 'callback')
  await rig.clock.advance(1_000)
  first.crash()
  for (let crashes = 1; crashes < 9; crashes++) {
    await rig.clock.advance(31_000)
    const next = rig.process()
    next.dispatcher.start()
    await rig.clock.advance(2_000)
    next.crash()
  }
  assert.equal(rig.posts.length, 9)
  rig.receiver = () => answered(200)
  rig.process().dispatcher.start()
  await rig.clock.advance(60_000)
  assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
  assert.deepEqual(
    rig.attempts().map(({ attempt, error }) => [attempt, error]),
    Array.from({ length: 10 }, (_, at) => [at + 1, at < 9 ? 'interrupted' : null]),
  )
})

test('a worker that stalls between claim and POST does not send under a lease that is over', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const idle = rig.process()
  await idle.owe(['wh_1'])
  let stalls = 0
  const slow = rig.process({}, (real) => ({
    ...real,
    claim: async (query) => {
      const claimed = await real.claim(query)
      if (claimed.length > 0 && stalls++ === 0) await after(rig.clock, 25_000, answered(200))
      return claimed
    },
  }))
  await rig.clock.advance(1)
  slow.dispatcher.start()
  await rig.clock.advance(24_999)
  assert.equal(rig.posts.length, 0)
  await rig.clock.advance(100)
  assert.equal(rig.count('delivery.given_back'), 1)
  assert.equal(rig.attempts()[0]?.attempt, 1, 'the claim was given back with its count')
})

for (const point of ['before_commit', 'after_commit'] as const)
  test(`a settle whose commit fails ${point.replace('_', ' ')} is tried again and counted once`, async () => {
    let broken = 3
    const rig = createRig({
      faults: (at, operation) => {
        if (at !== point || operation.kind !== 'commit' || broken === 0) return
        if (!operation.set.puts?.some(({ in: name, was }) => name === deliveries.name && was))
          return
        broken--
        throw new Error('the disk is full')
      },
    })
    await rig.hook('wh_1')
    const process = await started(rig.process())
    await process.owe(['wh_1'])
    await rig.clock.advance(5_000)
    assert.equal(rig.posts.length, 1, 'the answer was not lost')
    assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
    assert.equal(rig.attempts().length, 1)
    assert.equal(rig.count('outbox.fault'), point === 'before_commit' ? 3 : 1)
    assert.equal(rig.count('delivery.stale_completion'), 0)
    assert.equal(rig.count('delivery.settled'), 1)
  })

test('a store that stays broken past the lease loses no delivery: it is sent again', async () => {
  let broken = false
  const rig = createRig({
    faults: (at, operation) => {
      if (broken && at === 'before_commit' && operation.kind === 'commit') throw new Error('io')
    },
  })
  await rig.hook('wh_1')
  const process = await started(rig.process())
  await process.owe(['wh_1'])
  broken = true
  await rig.clock.advance(29_000)
  assert.equal(rig.posts.length, 1)
  await rig.clock.advance(5_000)
  broken = false
  await rig.clock.advance(60_000)
  assert.ok(rig.count('delivery.lease_lost') >= 1)
  assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
  assert.ok(rig.posts.length >= 2)
})

test('a 410 that can not be committed within the lease is kept until it can: nothing more is sent', async () => {
  let broken = false
  const rig = createRig({
    faults: (at, operation) => {
      if (broken && at === 'before_commit' && operation.kind === 'commit')
        throw new StoreError('io', 'scripted')
    },
  })
  await rig.hook('wh_1')
  const process = await started(rig.process())
  rig.receiver = () => {
    broken = true
    return after(rig.clock, 50, answered(410))
  }
  await process.owe(['wh_1'])
  await rig.clock.advance(5 * 60_000)
  assert.equal(rig.posts.length, 1)
  broken = false
  await rig.clock.advance(60_000)
  assert.equal(rig.posts.length, 1)
  assert.equal(rig.hookRow('wh_1')?.reason, 'endpoint_gone')
  assert.equal(rig.deliveries()[0]?.row.status, 'dead_lettered')
  assert.equal(rig.attempts()[0]?.responseStatus, 410)
})

test('claims and endpoint reads that fail are tried again', async () => {
  let faults = 0
  const rig = createRig({
    faults: (at, operation) => {
      if (at !== 'before' || (operation.kind !== 'claim' && operation.kind !== 'read')) return
      if (faults++ < 4) throw new Error('busy')
    },
  })
  await rig.hook('wh_1')
  const maker = rig.process()
  for (let tries = 0; tries < 5; tries++) await maker.owe(['wh_1']).catch(() => {})
  faults = 0
  await rig.clock.advance(1)
  rig.process().dispatcher.start()
  await rig.clock.advance(10_000)
  assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
  assert.equal(rig.count('outbox.fault'), 4)
})

test('a transport that forgets an exchange does not keep its slot', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = await started(rig.process())
  rig.receiver = () => new Promise(() => {})
  await process.owe(['wh_1'], 'once')
  await rig.clock.advance(14_000)
  assert.equal(rig.attempts()[0]?.error, 'timeout: no answer within 10000 ms')
  assert.equal(rig.deliveries()[0]?.row.status, 'dead_lettered')
  await process.dispatcher.idle()
})

const jumps = [-3 * day, -600_000, 600_000, 3 * day]
for (const jump of jumps)
  test(`a wall clock that jumps by ${jump / 60_000} min steals no lease, waits for nothing longer and skips no wait`, async () => {
    const rig = createRig()
    await rig.hook('wh_1')
    await rig.hook('wh_2')
    const one = await started(rig.process())
    const two = await started(rig.process())
    // In flight while the clock jumps: the other process must leave it alone.
    rig.receiver = () => after(rig.clock, 9_000, answered(200))
    await one.owe(['wh_1'])
    await rig.clock.advance(1_000)
    rig.clock.jump(jump)
    await rig.clock.advance(9_500)
    assert.equal(rig.posts.length, 1, 'no lease theft')
    assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
    // What is owed after the jump goes out at once, and its retries keep their schedule.
    let tries = 0
    rig.receiver = () => answered(++tries === 1 ? 500 : 200)
    await two.owe(['wh_2'], 'legacy')
    await rig.clock.advance(4_900)
    assert.equal(tries, 1, 'not before its schedule')
    await rig.clock.advance(1_200)
    assert.equal(tries, 2)
    assert.ok(rig.deliveries().every(({ row }) => row.status === 'delivered'))
    const [, last] = rig.posts.filter(({ endpointId }) => endpointId === 'wh_2')
    const stamp = rig.attempts().at(-1)?.requestHeaders['webhook-timestamp']
    assert.equal(stamp, String(Math.floor((last?.at ?? 0) / 1_000)), 'signed by the wall clock')
  })

for (const jump of jumps)
  test(`what a crash leaves behind is taken over after a jump of ${jump / 60_000} min`, async () => {
    const rig = createRig()
    await rig.hook('wh_1')
    const heir = await started(rig.process())
    const dead = await started(rig.process())
    rig.receiver = () => new Promise(() => {})
    await dead.owe(['wh_1'])
    await rig.clock.advance(100)
    dead.crash()
    rig.receiver = () => answered(200)
    rig.clock.jump(jump)
    await rig.clock.advance(29_000)
    assert.equal(rig.posts.length, 1, 'not before the lease ends')
    await rig.clock.advance(3_000)
    assert.equal(rig.posts.length, 2)
    assert.equal(rig.posts[1]?.owner, heir.dispatcher.owner)
  })

test('a replay is a new round of the same delivery: same ids, same bytes, new attempts', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = await started(rig.process())
  rig.receiver = () => answered(500)
  const messageId = await process.owe(['wh_1'], 'once')
  await rig.clock.advance(100)
  assert.equal(rig.deliveries()[0]?.row.status, 'dead_lettered')
  rig.receiver = () => answered(200)
  await process.ledger.execute('ten_1', async (unit) => {
    const [found] = await unit.read([get(deliveries, ['wh_1', messageId])])
    const was = one(deliveries, found)
    assert.ok(was)
    const next = replay(was, { now: unit.now, generation: rig.hookRow('wh_1')?.generation ?? 0 })
    assert.ok(next)
    return { kind: 'commit', set: { puts: [put(deliveries, next, was)] }, value: null }
  })
  await rig.clock.advance(1_500)
  assert.equal(rig.posts.length, 2)
  assert.equal(rig.posts[0]?.body, rig.posts[1]?.body)
  assert.equal(rig.posts[0]?.messageId, rig.posts[1]?.messageId)
  assert.deepEqual(
    rig.attempts().map(({ attempt, trigger }) => [attempt, trigger]),
    [
      [1, 'event'],
      [1, 'replay'],
    ],
  )
  const [delivery] = rig.deliveries()
  assert.deepEqual([delivery?.row.round, delivery?.row.status], [2, 'delivered'])
})

test('the fence has teeth: a store that forgets versions lets a stale completion through', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const unfenced = (real: typeof rig.store): Store => ({
    ...real,
    commit: async (set) => {
      const [found] = await real.read(null, [get(deliveries, ['wh_1', messageId])])
      const now = one(deliveries, found)
      const puts = set.puts?.map((each) =>
        each.in === deliveries.name && each.was && now ? { ...each, was: now } : each,
      )
      return real.commit(puts ? { ...set, puts } : set)
    },
  })
  let messageId = ''
  const slow = await started(rig.process({}, unfenced))
  rig.receiver = () => after(rig.clock, 1_000, answered(500))
  messageId = await slow.owe(['wh_1'])
  await rig.clock.advance(500)
  slow.stall()
  rig.receiver = () => answered(200)
  await started(rig.process())
  await rig.clock.advance(40_000)
  slow.resume()
  await rig.clock.advance(1_000)
  assert.equal(rig.count('delivery.stale_completion'), 0)
  assert.notEqual(rig.attempts().length, 1)
})
