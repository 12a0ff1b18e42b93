import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DispatcherContext } from '../../outbox/context.ts'
import type { Endpoint, Headers, Kind } from '../../outbox/kind.ts'
import { createLane, type Flight } from '../../outbox/lane.ts'
import { defaultDispatcherOptions } from '../../outbox/options.ts'
import type { Delivery } from '../../outbox/records.ts'
import { createSender, type Landed } from '../../outbox/sender.ts'
import {
  answered,
  createManualClock,
  scriptedTransport,
  seededRandom,
} from '../../testing/index.ts'

test('an attempt that was given up while it waited for its signature is never posted', async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const transport = scriptedTransport(() => answered(200))
  const landed: Landed[] = []
  const context = {
    clock,
    transport,
    random: seededRandom(1),
    options: defaultDispatcherOptions,
    time: { now: clock.now, leaseBase: clock.now },
    observer: { event: () => {} },
  } as unknown as DispatcherContext
  const sender = createSender(context, {
    land: (one) => landed.push(one),
    mayStill: () => true,
    unsent: () => assert.fail('it was given up before'),
  })
  const flight = {
    lane: createLane('wh_1', 'ten_1'),
    found: { row: { policy: 'review', attempts: 1 } as Delivery, version: 1, leasedBy: 'me' },
  } as unknown as Flight
  const signed = new Promise<Headers>((resolve) => clock.after(60_000, () => resolve({})))
  const endpoint = { url: 'https://receiver.test/', sign: () => signed } as unknown as Endpoint
  const loaded = { of: () => endpoint, outdated: () => false }
  sender.send(flight, new Uint8Array(), { kind: {} as Kind, endpoint, loaded })
  await clock.advance(13_000)
  sender.reap()
  assert.deepEqual(
    landed.map(({ record }) => record.outcome),
    ['failed'],
  )
  await clock.advance(60_000)
  assert.equal(transport.exchanges.length, 0)
})
