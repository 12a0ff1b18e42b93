import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Outgoing } from '../../base/events/outgoing.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { type ManualClock, type SeededRandom, seededRandom } from '../../testing/index.ts'
import { routings } from '../../webhooks/records.ts'
import type { fanOut } from '../../webhooks/routing/fan-out.ts'
import { admin, type Fixture, fixture, value } from './fixture.ts'
import { checkPartition, createWorld, drain, eventTypes, type World } from './model.ts'

type Parts = ReturnType<typeof fanOut>

/** Lets every call of the store wait its own while, and the clock run meanwhile. */
function unevenly(random: SeededRandom): { faults(): Promise<void>; clock: ManualClock | null } {
  const hook = {
    clock: null as ManualClock | null,
    async faults() {
      for (let turns = random.below(12); turns > 0; turns--) await undefined
      hook.clock?.jump(random.below(4))
    },
  }
  return hook
}

/** Events of many senders while the owner turns the webhooks off and on. */
async function race(seed: number, strip: (parts: Parts) => Parts): Promise<World> {
  const random = seededRandom(seed)
  const hook = unevenly(random.fork())
  const world = await createWorld({ seed, faults: hook.faults })
  hook.clock = world.clock

  async function sender(): Promise<void> {
    for (let i = 0; i < 10; i++) {
      const type = eventTypes[random.below(eventTypes.length)] ?? 'session.flagged'
      world.events.push(await world.emit(type, strip))
    }
  }
  async function owner(webhookId: string): Promise<void> {
    for (let i = 0; i < 4; i++) {
      for (let turns = random.below(300); turns > 0; turns--) await undefined
      value(await world.service.turnOff(admin, { webhookId }))
      for (let turns = random.below(300); turns > 0; turns--) await undefined
      value(await world.service.turnOn(admin, { webhookId }))
    }
  }
  await Promise.all([
    ...Array.from({ length: 20 }, sender),
    ...world.expectations.map(({ webhookId }) => owner(webhookId)),
  ])
  await drain(world)
  return world
}

test('of 200 events of 20 senders none falls between sending and the missed window', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      checkPartition(await race(seed, (parts) => parts))
    }),
    { numRuns: 6 },
  )
})

test('the race shows a horizon that stays where it is', async () => {
  const still = (parts: Parts) => ({
    ...parts,
    puts: parts.puts.filter((put) => put.in !== routings.name),
  })
  const seen = await fc.check(
    fc.asyncProperty(fc.nat(), async (seed) => {
      checkPartition(await race(seed, still))
    }),
    { numRuns: 30, endOnFailure: true },
  )
  assert.ok(seen.failed)
})

/** What an event is owed when this happens between its decision and its commit. */
async function overtaken(
  happens: Overtaking,
  type: Outgoing['type'],
  strip: (parts: Parts) => Parts,
): Promise<readonly Delivery[]> {
  let pass = () => {}
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  let held: (() => void) | null = null
  const isHeld = new Promise<void>((resolve) => {
    held = resolve
  })
  const world = fixture({
    faults: (point, operation) => {
      if (point !== 'before_commit' || operation.kind !== 'commit' || !armed) return
      armed = false
      held?.()
      return passed
    },
  })
  let armed = false
  const { id } = await world.created({ eventTypes: ['session.flagged'] })
  armed = true
  const emitted = world.emit(type, strip)
  await isHeld
  await happens(world, id)
  pass()
  const event = await emitted
  return world.store
    .rows(deliveries)
    .map(({ row }) => row)
    .filter(({ messageId }) => messageId === event.id)
}

type Overtaking = (world: Fixture, webhookId: string) => Promise<unknown>

/** What happens, to which event, what it is owed then, and what it would be owed as its decision found things. */
const overtakings: Readonly<Record<string, [Overtaking, Outgoing['type'], number, number]>> = {
  'a webhook is made': [(world) => world.created(), 'review.case.decided', 1, 0],
  'its types are chosen anew': [
    ({ service }, id) => service.update(admin, { webhookId: id, eventTypes: ['*'] }),
    'review.case.decided',
    1,
    0,
  ],
  'a webhook is turned off': [
    ({ service }, id) => service.turnOff(admin, { webhookId: id }),
    'session.flagged',
    0,
    1,
  ],
  'a webhook is removed': [
    ({ service }, id) => service.remove(admin, { webhookId: id }),
    'session.flagged',
    0,
    1,
  ],
}
for (const [name, [happens, type, owed, unchecked]] of Object.entries(overtakings))
  test(`an event is owed as its commit finds things, when before it ${name}`, async () => {
    assert.equal((await overtaken(happens, type, (parts) => parts)).length, owed)
    const strip = (parts: Parts) => ({ ...parts, checks: [] })
    assert.equal((await overtaken(happens, type, strip)).length, unchecked)
  })
