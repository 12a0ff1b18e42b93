import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Observer, silentObserver } from '../../base/ports/index.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { createDispatcher } from '../../outbox/dispatcher.ts'
import type { Endpoint, Kind } from '../../outbox/kind.ts'
import { messages } from '../../outbox/records.ts'
import { answered, failed, scriptedTransport } from '../../testing/index.ts'
import { after, createRig, hookKind, hooks } from './rig.ts'

test('who waits for an outcome gets the attempt as it was logged, without asking again and again', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = rig.process()
  process.dispatcher.start()
  rig.receiver = () => after(rig.clock, 200, answered(201, { body: 'made' }))
  const messageId = await process.owe(['wh_1'], 'once')
  const outcome = process.dispatcher.outcomes.next('wh_1', messageId, 11_000)
  const timers = rig.clock.waiting()
  await rig.clock.advance(300)
  const record = await outcome
  assert.deepEqual(record, rig.attempts()[0])
  assert.equal(record?.responseStatus, 201)
  assert.ok(rig.clock.waiting() < timers, 'the bound is lifted')
})

test('the wait is bounded, and a delivery that is not sent at all ends it early', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = rig.process()
  process.dispatcher.start()
  const never = process.dispatcher.outcomes.next('wh_1', 'evt_unknown', 500)
  await rig.clock.advance(500)
  assert.equal(await never, null)

  const hook = rig.store.rows(hooks)[0]
  assert.ok(hook)
  process.dispatcher.tick()
  const messageId = await rig.process().owe(['wh_1'], 'once')
  await rig.store.commit({
    tenant: 'ten_1',
    puts: [put(hooks, { ...hook.row, generation: 9 }, hook)],
  })
  const unwanted = process.dispatcher.outcomes.next('wh_1', messageId, 60_000)
  await rig.clock.advance(1_100)
  assert.equal(await unwanted, null)
  assert.equal(rig.posts.length, 0, 'an endpoint that no longer wants it is not sent to')
  assert.equal(rig.deliveries()[0]?.row.status, 'dead_lettered')
  assert.equal(rig.attempts().length, 0)
})

test('a change of an endpoint in this process is seen before the next POST, even while endpoints are read', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = rig.process({}, (real) => ({
    ...real,
    read: async (tenant, reads) => {
      const found = await real.read(tenant, reads)
      if (reads.some((read) => 'get' in read && read.get === hooks.name) && tenant === null)
        await after(rig.clock, 100, answered(200))
      return found
    },
  }))
  process.dispatcher.start()
  const publishing = process.owe(['wh_1'])
  await rig.clock.advance(101)
  await publishing
  // The read of the endpoint is under way; now it is turned off.
  const hook = rig.store.rows(hooks)[0]
  assert.ok(hook)
  await process.ledger.execute('ten_1', async () => ({
    kind: 'commit',
    set: { puts: [put(hooks, { ...hook.row, generation: 1 }, hook)] },
    value: null,
  }))
  await rig.clock.advance(1_000)
  assert.equal(rig.posts.length, 0)
  assert.equal(rig.deliveries()[0]?.row.status, 'dead_lettered')
})

test('a message whose bytes are gone ends without a POST', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const messageId = await rig.process().owe(['wh_1'])
  await rig.store.commit({
    tenant: null,
    removes: [{ in: messages.name, key: [messageId], version: 1 }],
  })
  await rig.clock.advance(1)
  rig.process().dispatcher.start()
  await rig.clock.advance(1_000)
  assert.equal(rig.posts.length, 0)
  assert.equal(rig.deliveries()[0]?.row.status, 'dead_lettered')
})

type Sign = Endpoint['sign']

/** Runs one publication whose endpoint signs in a way of its own. */
async function withSigner(sign: Sign, kinds?: readonly Kind[]) {
  const rig = createRig()
  await rig.hook('wh_1')
  const transport = scriptedTransport(() => answered(200))
  const maker = rig.process()
  const base = hookKind(maker.ledger)
  const kind: Kind = {
    ...base,
    endpoints: async (ids, now) =>
      new Map(
        [...(await base.endpoints(ids, now))].map(([id, endpoint]) => [id, { ...endpoint, sign }]),
      ),
  }
  const { ledger } = maker
  const { clock, random } = rig
  const events: string[] = []
  const observer: Observer = { event: (...[name]) => void events.push(name) }
  const dispatcher = createDispatcher({
    ledger,
    clock,
    random,
    transport,
    kinds: kinds ?? [kind],
    observer: kinds ? observer : silentObserver,
  })
  dispatcher.start()
  await maker.owe(['wh_1'])
  await clock.advance(5_000)
  return { rig, transport, events, dispatcher }
}

test('an endpoint may sign on another thread', async () => {
  const { rig, transport } = await withSigner(async () => ({ 'webhook-signature': 'v1a,x' }))
  assert.equal(transport.exchanges[0]?.headers['webhook-signature'], 'v1a,x')
  assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
})

test('a 410 that comes while another thread signs is heeded', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const maker = rig.process()
  const { ledger } = maker
  const { clock, random } = rig
  const base = hookKind(ledger)
  let signed = 0
  const kind: Kind = {
    ...base,
    endpoints: async (ids, now) =>
      new Map(
        [...(await base.endpoints(ids, now))].map(([id, endpoint]) => {
          const sign: Sign = () =>
            new Promise((resolve) => clock.after(signed++ === 0 ? 10 : 100, () => resolve({})))
          return [id, { ...endpoint, sign }]
        }),
      ),
  }
  const transport = scriptedTransport(() => answered(410))
  const observer = silentObserver
  const dispatcher = createDispatcher({ ledger, clock, random, transport, kinds: [kind], observer })
  for (let n = 0; n < 4; n++) await maker.owe(['wh_1'])
  await clock.advance(1)
  dispatcher.start()
  await clock.advance(5_000)
  assert.equal(signed, 4, 'all were under way')
  assert.equal(transport.exchanges.length, 1)
  assert.ok(rig.deliveries().every(({ row }) => row.status === 'dead_lettered'))
})

const badSigners: Readonly<Record<string, Sign>> = {
  'a signer that throws': () => {
    throw new Error('the key does not open')
  },
  'a signer that rejects': async () => {
    throw new Error('the key does not open')
  },
}
for (const [name, sign] of Object.entries(badSigners))
  test(`${name} fails the attempt, tells no secret and is tried again`, async () => {
    const { rig, transport } = await withSigner(sign)
    assert.equal(transport.exchanges.length, 0)
    assert.equal(rig.attempts()[0]?.error, 'aborted: sign failed')
    assert.equal(rig.deliveries()[0]?.row.status, 'retry_scheduled')
  })

test('a kind that nobody registered is set aside, told of, and sent when somebody does', async () => {
  const { rig, events, dispatcher } = await withSigner(() => ({}), [])
  assert.ok(events.includes('outbox.fault'))
  assert.equal(rig.deliveries()[0]?.row.attempts, 0)
  assert.equal(rig.deliveries()[0]?.leasedBy, null)
  await dispatcher.drain(0)
  rig.process().dispatcher.start()
  await rig.clock.advance(61_000)
  assert.equal(rig.deliveries()[0]?.row.status, 'delivered')
})

test('an endpoint that cannot be read holds up nobody else, and is sent to when it can', async () => {
  let broken = true
  const rig = createRig()
  const ids = ['wh_1', 'wh_2', 'wh_3', 'wh_bad', 'wh_4']
  for (const id of ids) await rig.hook(id)
  const process = rig.process({}, (real) => ({
    ...real,
    read: async (tenant, reads) => {
      if (
        broken &&
        tenant === null &&
        reads.some((read) => 'key' in read && read.key[0] === 'wh_bad')
      )
        throw new Error('the secret does not open')
      return real.read(tenant, reads)
    },
  }))
  const maker = rig.process()
  for (const id of ids) for (let n = 0; n < 3; n++) await maker.owe([id])
  await rig.clock.advance(1)
  process.dispatcher.start()
  await rig.clock.advance(300)
  assert.equal(rig.posts.length, 12)
  broken = false
  await rig.clock.advance(1_000)
  assert.equal(rig.posts.length, 15)
  assert.ok(rig.attempts().every(({ attempt }) => attempt === 1))
})

test('an answer longer than the log keeps is cut and says so', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = rig.process()
  process.dispatcher.start()
  rig.receiver = () => answered(200, { body: 'x'.repeat(70_000) })
  await process.owe(['wh_1'])
  await process.dispatcher.idle()
  const [attempt] = rig.attempts()
  assert.deepEqual([attempt?.responseBody?.length, attempt?.truncated], [65_536, true])
})

test('options that could not keep their promises are refused', () => {
  const rig = createRig()
  assert.throws(() => rig.process({ leaseMs: 10_000 }), /leaseMs: expected at least deadlineMs/)
  assert.throws(() => rig.process({ slots: 0 }), /slots: expected an integer of at least 1, got 0/)
})

test('operators are told what kind of failure it was', async () => {
  const rig = createRig()
  await rig.hook('wh_1')
  const process = rig.process()
  process.dispatcher.start()
  rig.receiver = () => failed('refused_address', "the host's address is not public")
  await process.owe(['wh_1'], 'once')
  await rig.clock.advance(100)
  rig.receiver = () => answered(500)
  await process.owe(['wh_1'], 'once')
  await rig.clock.advance(100)
  rig.receiver = () => ({
    ...failed('refused_address', 'no address that may be sent to'),
    operators: { error: 'dns', detail: 'ENOTFOUND' },
  })
  await process.owe(['wh_1'], 'once')
  await rig.clock.advance(100)
  const told = rig.events.filter(({ name }) => name === 'delivery.attempted')
  assert.deepEqual(
    told.map(({ fields }) => [Reflect.get(fields, 'error'), Reflect.get(fields, 'status')]),
    [
      ['refused_address', null],
      [null, 500],
      ['dns', null],
    ],
  )
})
