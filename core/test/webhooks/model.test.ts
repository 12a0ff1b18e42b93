import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Kind } from '../../outbox/kind.ts'
import { admin, code, day, hour, minute, value } from './fixture.ts'
import {
  checkPartition,
  checkPost,
  checkRows,
  createWorld,
  drain,
  eventTypes,
  expectation,
  land,
  type Mood,
  pump,
  turnOn,
  type World,
} from './model.ts'

const runs = process.env.MODEL_RUNS ?? 80

type Step = (world: World) => Promise<void>

/** A step as a command of fast-check: always possible, and followed by the checks of every step. */
function command(name: string, step: Step): fc.AsyncCommand<object, World> {
  return {
    check: () => true,
    run: async (_model, world) => {
      await step(world)
      checkRows(world)
    },
    toString: () => name,
  }
}

const idOf = (world: World, which: number) => world.expectations[which]?.webhookId ?? ''
const which = fc.nat({ max: 1 })
const mood = fc.constantFrom<Mood>('good', 'good', 'bad', 'moody', 'silent', 'gone')

async function settleFor(world: World, ms: number, tone: Mood): Promise<void> {
  for (let passed = 0; passed < ms; passed += 3 * hour) {
    await world.clock.advance(3 * hour)
    await pump(world, tone)
  }
}

const commands = [
  fc.constantFrom(...eventTypes).map((type) =>
    command(`emit ${type}`, async (world) => {
      world.events.push(await world.emit(type))
    }),
  ),
  mood.map((tone) => command(`pump ${tone}`, (world) => pump(world, tone))),
  fc
    .constantFrom(1, 700, 6_000, minute, hour, 20 * hour)
    .map((ms) => command(`advance ${ms}`, (world) => world.clock.advance(ms))),
  fc.constant(
    command('take', async (world) => {
      const flight = await world.take()
      if (!flight || flight === 'over') return
      checkPost(world, flight.post)
      world.flights.push(flight)
    }),
  ),
  mood.map((tone) =>
    command(`land ${tone}`, async (world) => {
      const flight = world.flights.shift()
      if (flight) await land(world, flight, tone)
    }),
  ),
  fc.constant(
    command('deliver one', async (world) => {
      const flight = await world.take()
      if (!flight || flight === 'over') return
      checkPost(world, flight.post)
      await land(world, flight, 'good')
    }),
  ),
  which.map((at) =>
    command(`turn off and on ${at}`, async (world) => {
      value(await world.service.turnOff(admin, { webhookId: idOf(world, at) }))
      await turnOn(world, idOf(world, at))
    }),
  ),
  which.map((at) =>
    command(`turn off ${at}`, async (world) => {
      value(await world.service.turnOff(admin, { webhookId: idOf(world, at) }))
    }),
  ),
  which.map((at) => command(`turn on ${at}`, (world) => turnOn(world, idOf(world, at)))),
  fc.tuple(which, fc.boolean()).map(([at, force]) =>
    command(`rotate ${at}${force ? ' by force' : ''}`, async (world) => {
      const webhookId = idOf(world, at)
      const result = await world.service.rotateSecret(admin, { webhookId, force })
      const expected = expectation(world, webhookId)
      const rotating = world.clock.now() < expected.previousEnds
      if (at === 0) assert.equal(code(result), 'not_shared_secret')
      else assert.equal(code(result), rotating && !force ? 'already_rotating' : null)
      if (result.ok) expected.previousEnds = world.clock.now() + day
    }),
  ),
  which.map((at) =>
    command(`new url ${at}`, async (world) => {
      const url = `https://h${++world.urls}.example/hook`
      value(await world.service.update(admin, { webhookId: idOf(world, at), url }))
    }),
  ),
  which.map((at) =>
    command(`verify ${at}`, async (world) => {
      const webhookId = idOf(world, at)
      const refused = code(await world.service.requestVerification(admin, { webhookId }))
      assert.equal(refused, expectation(world, webhookId).gone === null ? null : 'endpoint_gone')
    }),
  ),
  fc.tuple(which, fc.nat()).map(([at, event]) =>
    command(`replay ${at} ${event}`, async (world) => {
      const chosen = world.events[event % Math.max(1, world.events.length)]
      if (chosen)
        await world.service.replay(admin, { webhookId: idOf(world, at), eventId: chosen.id })
    }),
  ),
  which.map((at) =>
    command(`recover ${at}`, async (world) => {
      const span = { from: 0, until: world.clock.now() + day }
      await world.service.recover(admin, { webhookId: idOf(world, at), ...span })
    }),
  ),
  fc.constant(
    command('upkeep', async (world) => {
      await world.runner.tick()
    }),
  ),
  fc
    .constantFrom<Mood>('bad', 'silent', 'moody')
    .map((tone) => command(`${tone} for four days`, (world) => settleFor(world, 4 * day, tone))),
]

function run(
  spoil?: (kind: Kind) => Kind,
): fc.IAsyncProperty<[Iterable<fc.AsyncCommand<object, World>>]> {
  return fc.asyncProperty(fc.commands(commands, { maxCommands: 60 }), async (steps) => {
    const world = await createWorld(spoil ? { spoil } : {})
    await fc.asyncModelRun(() => ({ model: {}, real: world }), steps)
    await drain(world)
    checkRows(world)
    checkPartition(world)
  })
}

test('whatever happens, every event is sent, listed as failed, or inside one reported window', async () => {
  await fc.assert(run(), { numRuns: Number(runs) })
})

const mutants: Readonly<Record<string, (kind: Kind) => Kind>> = {
  'a 410 that entails nothing': (kind) => ({
    ...kind,
    entails: (settled) =>
      !(settled.answer?.kind === 'answer' && settled.answer.status === 410) &&
      kind.entails(settled),
  }),
  'a window that is never reported': (kind) => ({
    ...kind,
    entails: (settled) => settled.after.status !== 'delivered' && kind.entails(settled),
  }),
  'a report that is not owed again after it was ended unsent': (kind) => ({
    ...kind,
    consequences: async (settled, unit) => {
      const parts = await kind.consequences(settled, unit)
      const puts = parts.puts?.filter(({ in: name, was }) => name !== 'deliveries' || was === null)
      return puts ? { ...parts, puts } : parts
    },
  }),
  'an endpoint that admits whatever it was ever owed': (kind) => ({
    ...kind,
    endpoints: async (ids, now) => {
      const found = await kind.endpoints(ids, now)
      return new Map([...found].map(([id, one]) => [id, { ...one, admits: () => true }]))
    },
  }),
}

for (const [name, spoil] of Object.entries(mutants))
  test(`the model sees ${name}`, async () => {
    // Drawn alike in every run: whether chance finds it is no news.
    const drawn = { numRuns: 2_000, seed: 8, endOnFailure: true }
    const { failed } = await fc.check(run(spoil), drawn)
    assert.ok(failed)
  })
