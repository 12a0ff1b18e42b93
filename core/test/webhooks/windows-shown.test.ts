import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  reportedWindowsPerWebhook,
  unreportedWindowsPerWebhook,
} from '../../kernel/ledger/limits.ts'
import { answered } from '../../testing/index.ts'
import {
  admin,
  auditor,
  code,
  day,
  type Fixture,
  fixture,
  hour,
  minute,
  obliging,
  start,
  stranger,
  value,
} from './fixture.ts'

const isoOf = (ms: number) => new Date(ms).toISOString()

async function verified() {
  const world = fixture()
  const { id } = await world.created()
  await world.pump(obliging)
  return { ...world, id }
}

async function windowsOf({ service }: Fixture, webhookId: string) {
  return value(await service.missedWindows(auditor, { webhookId })).missedWindows
}

describe('the missed windows of a webhook', () => {
  it('has each window with its reason: while it lasts, until it is reported, and after', async () => {
    const world = await verified()
    const { service, id, clock, pump, posts } = world
    assert.deepEqual(await windowsOf(world, id), [])
    value(await service.turnOff(admin, { webhookId: id }))
    await clock.advance(hour)
    const [open, ...none] = await windowsOf(world, id)
    assert.deepEqual(none, [])
    const missedFrom = isoOf(start + 1_000)
    assert.deepEqual(open, { missedFrom, missedUntil: null, reason: 'owner', reportedAt: null })
    value(await service.turnOn(admin, { webhookId: id }))
    const missedUntil = isoOf(clock.now())
    const owed = { missedFrom, missedUntil, reason: 'owner', reportedAt: null }
    assert.deepEqual(await windowsOf(world, id), [owed])
    await clock.advance(minute)
    await pump((post) =>
      post.type === 'subscription.events_missed' ? answered(503) : obliging(post),
    )
    assert.deepEqual(await windowsOf(world, id), [owed], 'a report that failed reports nothing')
    await clock.advance(minute)
    await pump(obliging)
    const reported = { ...owed, reportedAt: isoOf(clock.now()) }
    assert.deepEqual(await windowsOf(world, id), [reported])
    const told = posts.findLast(({ type }) => type === 'subscription.events_missed')
    assert.deepEqual([told?.event.missedFrom, told?.event.missedUntil], [missedFrom, missedUntil])

    // A review event that fails for three days.
    await world.emit('review.case.created')
    for (let passed = 0; passed < 3 * day + hour; passed += 30 * minute) {
      await pump(() => answered(500))
      await clock.advance(30 * minute)
    }
    const [newest, before] = await windowsOf(world, id)
    assert.deepEqual([newest?.reason, newest?.missedUntil], ['retries_exhausted', null])
    assert.deepEqual(before, reported)
  })

  it('keeps the last that were reported, so many', async () => {
    const world = await verified()
    const { service, id, clock, pump } = world
    const times = reportedWindowsPerWebhook + 3
    for (let number = 0; number < times; number++) {
      value(await service.turnOff(admin, { webhookId: id }))
      await clock.advance(hour)
      value(await service.turnOn(admin, { webhookId: id }))
      await pump(obliging)
    }
    const windows = await windowsOf(world, id)
    assert.equal(windows.length, reportedWindowsPerWebhook)
    const begins = windows.map(({ missedFrom }) => missedFrom)
    assert.deepEqual(begins, begins.toSorted().toReversed())
    assert.equal(begins.at(-1), isoOf(start + 3 * hour + 1_000))
  })

  it('has the reason of the later where two became one', async () => {
    const world = await verified()
    const { service, id, clock } = world
    for (let number = 0; number <= unreportedWindowsPerWebhook; number++) {
      value(await service.turnOff(admin, { webhookId: id }))
      await clock.advance(hour)
      value(await service.turnOn(admin, { webhookId: id }))
    }
    const windows = await windowsOf(world, id)
    assert.equal(windows.length, unreportedWindowsPerWebhook)
    const joined = windows.at(-1)
    assert.deepEqual(
      [joined?.missedFrom, joined?.missedUntil, joined?.reason],
      [isoOf(start + 1_000), isoOf(start + 2 * hour), 'owner'],
    )
  })

  it('is nothing to others', async () => {
    const { service, id } = await verified()
    assert.equal(code(await service.missedWindows(stranger, { webhookId: id })), 'not_found')
  })
})
