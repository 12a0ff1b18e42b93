import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Observer } from '../../base/ports/observer.ts'
import { routings, webhooks } from '../../webhooks/records.ts'
import { aheadMs, slackMs } from '../../webhooks/routing/event-time.ts'
import { admin, day, type Fixture, fixture, hour, minute, obliging, value } from './fixture.ts'

interface Told {
  readonly from: number
  readonly until: number
  readonly made: number
}

/** The windows of the reports that were sent so far, and when each was made. */
function windowsOf({ posts }: Fixture): readonly Told[] {
  return posts
    .filter(({ type }) => type === 'subscription.events_missed')
    .map(({ event }) => {
      const [from, until, made] = [event.missedFrom, event.missedUntil, event.time].map((time) =>
        Date.parse(String(time)),
      )
      assert.ok(from !== undefined && until !== undefined && made !== undefined)
      return { from, until, made }
    })
}

function watched() {
  const resets: number[] = []
  const observer: Observer = {
    event: (...[name, facts]) => {
      if (name === 'webhook.horizon_reset') resets.push(facts.aheadMs)
    },
  }
  return { ...fixture({ observer }), resets }
}

/** The latest mark of a switch in the stored rows. */
function latestMark({ store }: Fixture): number {
  const bounds = store.rows(routings).flatMap(({ row }) => [row.changedAt, row.horizon])
  const windows = store
    .rows(webhooks)
    .flatMap(({ row }) => [
      row.turnedOffAt ?? 0,
      ...row.unreported.flatMap(({ from, until }) => [from, until ?? 0]),
    ])
  return Math.max(0, ...bounds, ...windows)
}

for (const seen of [true, false])
  test(`what a clock that ran ahead left in the future comes back ${seen ? 'with the clock' : 'within a minute'}, logged`, () =>
    comesBack(seen))

/** `seen`: the runner claimed work while the clock was ahead, so that it notices the way back. */
async function comesBack(seen: boolean): Promise<void> {
  const world = watched()
  const { service, clock, runner, resets } = world
  const { id } = await world.created()
  const { id: other } = await world.created()
  await world.pump(obliging)
  await runner.tick()
  clock.jump(day)
  for (const webhookId of [id, other]) value(await service.turnOff(admin, { webhookId }))
  value(await service.turnOn(admin, { webhookId: other }))
  await world.emit('session.flagged')
  if (seen) await runner.tick()
  clock.jump(-day)
  if (!seen) await clock.advance(minute)
  await runner.tick()
  assert.equal(resets.length, 1)
  assert.ok(Math.abs((resets[0] ?? 0) - day) <= minute + 3 * slackMs, `${resets[0]} ms`)

  assert.ok(latestMark(world) <= clock.now())
  await runner.tick()
  assert.equal(resets.length, 1, 'logged once')
}

const change = fc.tuple(fc.constantFrom('event', 'off', 'on'), fc.nat(1))
const changes = fc.array(change, { maxLength: 6 })
const lead = fc.constantFrom(30_000, 2 * minute, hour, day)

test('no stored mark stays in the future, whatever happens before the reset', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ lead, before: changes, between: changes, seen: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      }),
      async (rounds) => {
        const world = watched()
        const { service, clock, runner, resets } = world
        const ids = [await world.created(), await world.created()].map(({ id }) => id)
        await world.pump(obliging)
        await runner.tick()
        const make = async (all: readonly (readonly [string, number])[]) => {
          for (const [what, at] of all) {
            if (what === 'event') await world.emit('session.flagged')
            else if (what === 'off')
              value(await service.turnOff(admin, { webhookId: ids[at] ?? '' }))
            else value(await service.turnOn(admin, { webhookId: ids[at] ?? '' }))
          }
        }
        for (const { lead, before, between, seen } of rounds) {
          const logged = resets.length
          clock.jump(lead)
          await make(before)
          if (seen) await runner.tick()
          clock.jump(-lead)
          const ahead = latestMark(world) - clock.now()
          await make(between)
          const known = world.store.rows(routings).map(({ row }) => row.latestMark)
          const found = Math.max(clock.now() + aheadMs, ...known)
          assert.ok(latestMark(world) <= found, 'the reset finds every mark')
          await clock.advance(minute)
          await runner.tick()
          assert.equal(resets.length > logged, ahead > minute + aheadMs, `${ahead} ms ahead`)
          await clock.advance(2 * minute)
          const left = latestMark(world) - clock.now()
          assert.ok(left <= 0, `${left} ms in the future`)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('windows are reported without the future, also before anything brought the horizons back', async () => {
  const world = watched()
  const { service, clock } = world
  const { id } = await world.created()
  const { id: other } = await world.created()
  await world.pump(obliging)
  clock.jump(day)
  for (const webhookId of [id, other]) value(await service.turnOff(admin, { webhookId }))
  value(await service.turnOn(admin, { webhookId: other }))
  clock.jump(-day)
  await clock.advance(minute)
  const missed = await world.emit('session.flagged')
  await clock.advance(minute)
  value(await service.turnOn(admin, { webhookId: id }))
  // What the second webhook was owed while the clock was ahead is due then.
  value(await service.requestVerification(admin, { webhookId: other }))
  await world.pump(obliging)
  const told = windowsOf(world)
  assert.equal(told.length, 2)
  for (const { from, until } of told) {
    assert.ok(from <= until)
    assert.ok(until <= clock.now() + slackMs, `${until - clock.now()} ms ahead`)
  }
  assert.ok(
    told.some(({ from, until }) => from <= missed.at && missed.at < until),
    'what was missed after the clock came back lies in a window',
  )
})

test('a window tells what a clock that ran ahead timed past its end by when that was committed', async () => {
  const world = watched()
  const { service, clock, runner } = world
  const { id } = await world.created()
  await world.pump(obliging)
  value(await service.turnOff(admin, { webhookId: id }))
  await clock.advance(minute)
  const committed = clock.now()
  clock.jump(3 * day)
  const missed = await world.emit('session.flagged')
  clock.jump(-3 * day)
  await clock.advance(minute)
  await runner.tick()
  value(await service.turnOn(admin, { webhookId: id }))
  await world.pump(obliging)
  const [told, ...more] = windowsOf(world)
  assert.ok(told && more.length === 0)
  assert.ok(told.from <= committed && committed < told.until)
  assert.ok(told.until <= clock.now() && clock.now() < missed.at)
})

const step = fc.oneof(
  { arbitrary: fc.constantFrom('event', 'off', 'on', 'pump', 'tick'), weight: 6 },
  { arbitrary: fc.constantFrom('ahead', 'back'), weight: 2 },
)
const span = fc.constantFrom(2_000, 30_000, 2 * minute, hour, day)

test('whatever a clock does, a report made by a clock that is right ends by then', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, span), { minLength: 8, maxLength: 30 }),
      async (steps) => {
        const world = watched()
        const { service, clock, runner } = world
        const { id } = await world.created()
        let ahead = 0
        let backAt = Number.NEGATIVE_INFINITY
        const missed: number[] = []
        const leave = async (ms: number) => {
          clock.jump(ms)
          ahead += ms
          if (ms < 0) backAt = clock.now()
        }
        for (const [what, ms] of [...steps, ['back', 0], ['event', 2 * minute]] as const) {
          if (what === 'ahead') await leave(ms)
          else if (what === 'back') await leave(-ahead)
          else if (what === 'off') value(await service.turnOff(admin, { webhookId: id }))
          else if (what === 'on') value(await service.turnOn(admin, { webhookId: id }))
          else if (what === 'tick') await runner.tick()
          else if (what === 'event') {
            const { status } = world.webhookOf(id)
            const { at } = await world.emit('session.flagged')
            if (status === 'turned_off' && ahead === 0 && clock.now() > backAt + aheadMs)
              missed.push(at)
          } else {
            const before = windowsOf(world).length
            await world.pump(obliging)
            for (const { from, until, made } of windowsOf(world).slice(before)) {
              assert.ok(from <= until)
              // A message keeps its bytes: one that an ahead clock made is of that clock.
              if (ahead > 0 || made > clock.now() + aheadMs) continue
              assert.ok(until <= clock.now() + aheadMs, `${until - clock.now()} ms ahead`)
            }
          }
          await clock.advance(1_500)
        }
        await runner.tick()
        await clock.advance(2 * minute)
        value(await service.turnOn(admin, { webhookId: id }))
        value(await service.requestVerification(admin, { webhookId: id }))
        await world.pump(obliging)
        const told = windowsOf(world)
        const last = told.at(-1)
        if (last && last.made <= clock.now()) assert.ok(last.until <= clock.now() + 2 * slackMs)
        for (const at of missed)
          assert.ok(
            told.some(({ from, until }) => from <= at && at < until),
            `missed at ${at}`,
          )
      },
    ),
    { numRuns: 40 },
  )
})
