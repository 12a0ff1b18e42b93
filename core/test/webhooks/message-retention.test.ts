import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, logs } from '@countersign/core'
import fc from 'fast-check'
import { silentObserver } from '../../base/ports/observer.ts'
import type { Store } from '../../base/ports/store.ts'
import { newId } from '../../kernel/ledger/ids.ts'
import { createLedger } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { createRunner } from '../../kernel/work/runner.ts'
import { type Delivery, deliveries, type Message, messages } from '../../outbox/records.ts'
import {
  answered,
  createManualClock,
  createMemoryStore,
  seededRandom,
} from '../../testing/index.ts'
import { messageRetention } from '../../webhooks/delivery/message-retention.ts'
import { owingOn } from '../owing.ts'
import { admin, day, fixture, hour, obliging, start, value } from './fixture.ts'
import type { Reply } from './stepper.ts'

const runnerOn = (
  world: { readonly store: Store; readonly clock: ReturnType<typeof createManualClock> },
  handler: WorkHandler,
) => {
  const ledger = createLedger({ ...world, random: seededRandom(2) })
  return createRunner({
    ledger,
    clock: world.clock,
    handlers: [handler],
    observer: silentObserver,
    owing: owingOn(ledger),
    options: { owner: 'retention', concurrency: 1 },
  })
}

interface Given {
  readonly prefix: 'evt' | 'cb'
  /** Days before the look. */
  readonly age: number
  /** Of each delivery: days since its end, null while it runs. */
  readonly ends: readonly (number | null)[]
}

const given: fc.Arbitrary<Given> = fc
  .record({
    prefix: fc.constantFrom('evt', 'cb'),
    age: fc.integer({ min: 0, max: 80 }),
    ends: fc.array(fc.option(fc.integer({ min: 0, max: 80 }), { freq: 8 }), { maxLength: 3 }),
  })
  .map((each) => ({
    ...each,
    ends: each.ends.map((end) => end && Math.min(end, each.age)),
  }))

/** Puts what is given in a store. */
async function stored(list: readonly Given[]) {
  const store = createMemoryStore({ collections, logs })
  const clock = createManualClock(start)
  const random = seededRandom(1)
  const ids = list.map(({ prefix, age }) => newId(prefix, start - age * day, random))
  const puts = list.flatMap(({ age, ends }, at) => {
    const createdAt = start - age * day
    const common = {
      messageId: ids[at] ?? '',
      tenantId: 'ten_1',
      applicationId: 'app_1',
      type: 'session.flagged',
      family: 'legacy',
      createdAt,
    } as const
    const endpointIds = ends.map((_, number) => `wh_${number}`)
    const message: Message = { ...common, endpointIds, body: new Uint8Array() }
    return [
      put(messages, message, null),
      ...ends.map((end, number) => {
        const endedAt = end === null ? null : start - end * day
        const delivery: Delivery = {
          ...common,
          endpointId: `wh_${number}`,
          deliveryId: `dlv_${number}`,
          kind: 'event',
          policy: 'legacy',
          round: 1,
          generation: 1,
          status: end === null ? 'retry_scheduled' : 'delivered',
          due: end === null ? start + 90 * day : null,
          attempts: 1,
          logged: 1,
          interrupted: 0,
          broughtForward: 0,
          firstAttemptAt: createdAt,
          deliveredAt: endedAt,
          lastAttemptAt: null,
          lastResponseStatus: null,
          lastError: null,
          endedAt,
          trigger: 'event',
        }
        return put(deliveries, delivery, null)
      }),
    ]
  })
  await store.commit({ tenant: null, puts })
  return { store, clock, ids }
}

/** By the words of the interface: 30 days after the last delivery ended, unended ones never. */
const stays = ({ age, ends }: Given) => age <= 30 || ends.some((end) => end === null || end <= 30)

/** Mutants are drawn alike in every run: whether chance finds one is no news. */
const forMutants = { seed: 1 }

async function keepsTheRest(handler: WorkHandler, drawn: object = {}): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(given, { maxLength: 130 }), async (list) => {
      const { store, clock, ids } = await stored(list)
      const runner = runnerOn({ store, clock }, handler)
      await runner.tick()
      assert.equal(store.rows(messages).length, list.length, 'the first look removes nothing')
      clock.jump(2 * hour)
      await runner.tick()
      const expected = ids.filter((_, at) => stays(list[at] as Given)).toSorted()
      assert.deepEqual(
        store.rows(messages).map(({ row }) => row.messageId),
        expected,
      )
      const of = new Set(store.rows(deliveries).map(({ row }) => row.messageId))
      for (const [at, id] of ids.entries())
        assert.equal(of.has(id), expected.includes(id) && (list[at]?.ends.length ?? 0) > 0, id)
    }),
    { numRuns: 40, ...drawn },
  )
}

describe('the retention of messages', () => {
  it('removes each with its deliveries 30 days after the last one ended, and no other', async () => {
    await keepsTheRest(messageRetention)
    const ahead = 9 * day
    const mutants: Readonly<Record<string, WorkHandler>> = {
      'looks at no delivery': {
        ...messageRetention,
        run: (item, unit, owing) =>
          messageRetention.run(
            item,
            {
              ...unit,
              read: async (reads) =>
                (await unit.read(reads)).map((found, at) => {
                  const read = reads[at]
                  const empty = read && 'get' in read && read.get === deliveries.name
                  return empty ? { ...found, rows: [] } : found
                }),
            },
            owing,
          ),
      },
      'counts fewer days': {
        ...messageRetention,
        run: async (item, unit, owing) => {
          const step = await messageRetention.run(item, { ...unit, now: unit.now + ahead }, owing)
          return { ...step, next: step.next === null ? null : step.next - ahead }
        },
      },
      'goes on behind the first young one of any kind': {
        ...messageRetention,
        run: async (item, unit, owing) => {
          const step = await messageRetention.run(item, unit, owing)
          const after = (step.state as { readonly after?: string } | undefined)?.after
          return after?.endsWith('~') ? { ...step, next: null } : step
        },
      },
    }
    for (const [name, mutant] of Object.entries(mutants))
      await assert.rejects(keepsTheRest(mutant, forMutants), name)
  })

  it('leaves a report that its webhook still owes, and takes it once it was delivered', async () => {
    const world = fixture()
    const { service, clock, store } = world
    const { id } = await world.created()
    await world.pump(obliging)
    value(await service.turnOff(admin, { webhookId: id }))
    value(await service.turnOn(admin, { webhookId: id }))
    const refuses: Reply = (post) =>
      post.type === 'subscription.events_missed' ? answered(422) : obliging(post)
    const through = async (days: number, reply: Reply) => {
      for (let passed = 0; passed < days * day; passed += 6 * hour) {
        await clock.advance(6 * hour)
        await world.pump(reply)
      }
    }
    await world.pump(refuses)
    await through(4, refuses)
    const [window] = world.webhookOf(id).unreported
    const reports = () =>
      store.rows(messages).filter(({ row }) => row.type === 'subscription.events_missed')
    const runner = runnerOn({ store, clock }, messageRetention)
    const look = async () => {
      for (let looks = 0; looks < 3; looks++) {
        await runner.tick()
        clock.jump(2 * hour)
      }
    }
    clock.jump(60 * day)
    await look()
    assert.deepEqual(
      reports().map(({ row }) => row.messageId),
      [window?.messageId],
    )
    await world.emit('review.case.created')
    await through(1, obliging)
    assert.deepEqual(world.webhookOf(id).unreported, [])
    clock.jump(31 * day)
    await look()
    assert.deepEqual(reports(), [])
    assert.deepEqual(store.rows(deliveries), [])
  })
})
