import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { attempts } from '../../outbox/records.ts'
import { answered, failed } from '../../testing/index.ts'
import { countAttempts } from '../../webhooks/inspection/count-attempts.ts'
import { deliveryHours } from '../../webhooks/inspection/delivery-hours.ts'
import {
  bucketOf,
  type Latencies,
  leastOf,
  percentile,
  withLatencies,
} from '../../webhooks/inspection/latency-buckets.ts'
import { killsMutants } from '../outbox/mutants.ts'
import {
  admin,
  auditor,
  code,
  day,
  fixture,
  hour,
  minute,
  obliging,
  start,
  stranger,
  value,
} from './fixture.ts'

const isoOf = (ms: number) => new Date(ms).toISOString()

describe('latencies in buckets', () => {
  it('tell a share of them to a thirty-second', () => {
    const property = (tell: typeof percentile) =>
      fc.assert(
        fc.property(
          fc.array(fc.oneof(fc.nat(100), fc.nat(12_000)), { minLength: 1, maxLength: 60 }),
          fc.constantFrom(0.5, 0.95, 1),
          (all, share) => {
            let counts: Latencies = []
            for (const ms of all) counts = withLatencies(counts, [ms])
            const sorted = all.toSorted((a, b) => a - b)
            const exact = sorted[Math.ceil(all.length * share) - 1] ?? 0
            const told = tell(counts, share) ?? Number.NaN
            assert.ok(told <= exact && exact - told <= exact / 32 + 1, `${told}, expected ${exact}`)
          },
        ),
        { numRuns: 2_000 },
      )
    killsMutants(property, percentile, {
      'the mean of all': (counts) => {
        const total = counts.reduce((sum, [, count]) => sum + count, 0)
        return Math.floor(counts.reduce((sum, [at, n]) => sum + leastOf(at) * n, 0) / total)
      },
      'one less': (counts, share) => percentile(counts, share * 0.9),
      'a bucket for a latency': (counts, share) => {
        const told = percentile(counts, share)
        return told === null ? null : bucketOf(told)
      },
    })
    assert.equal(percentile([], 0.5), null)
  })
})

describe('the statistics of a webhook', () => {
  const property = async (counting: WorkHandler) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            events: fc.nat(70),
            fails: fc.boolean(),
            later: fc.nat(90 * minute),
            counted: fc.boolean(),
          }),
          { minLength: 1, maxLength: 6 },
        ),
        async (script) => {
          const world = fixture({ counting })
          const { id } = await world.created()
          await world.pump(obliging)
          for (const { events, fails, later, counted } of script) {
            for (let number = 0; number < events; number++) await world.emit('session.flagged')
            await world.pump((post) => (fails ? failed('timeout') : obliging(post)))
            await world.clock.advance(later)
            if (counted) await world.runner.tick()
          }
          await world.clock.advance(2 * minute)
          for (let turns = 0; turns < 30; turns++) await world.runner.tick()
          const asked = { webhookId: id, hours: 24 }
          const { hours } = value(await world.service.statistics(auditor, asked))
          const rows = world.store.rows(attempts).map(({ row }) => row)
          for (const { from, delivered, failed: lost } of hours) {
            const began = Date.parse(from)
            const own = rows.filter(({ startedAt }) => startedAt - (startedAt % hour) === began)
            const taken = own.filter(({ outcome }) => outcome === 'delivered').length
            assert.deepEqual([delivered, lost], [taken, own.length - taken], from)
          }
          const all = hours.reduce((sum, one) => sum + one.delivered + one.failed, 0)
          assert.equal(all, rows.length)
        },
      ),
      { numRuns: 25, seed: 3 },
    )

  it('count each attempt in its hour once, however often and late they are counted', () =>
    property(countAttempts))

  const mutants: Readonly<Record<string, (at: number) => object>> = {
    'goes on behind the time of the last one': (at) => ({ at: at + 1, seen: 0 }),
    'counts the last ones again': (at) => ({ at, seen: 0 }),
  }
  for (const [name, spoiled] of Object.entries(mutants))
    it(`see that a count ${name}`, () =>
      assert.rejects(
        property({
          ...countAttempts,
          async run(...given) {
            const step = await countAttempts.run(...given)
            const state = step.state as { readonly at: number } | undefined
            return state ? { ...step, state: spoiled(state.at) } : step
          },
        }),
      ))

  it('have every hour of the span, the one that runs last, and the latency of what was taken', async () => {
    const world = fixture()
    const { id } = await world.created()
    await world.pump(obliging)
    await world.clock.advance(hour)
    for (const ms of [10, 20, 30]) {
      await world.emit('session.flagged')
      await world.pump(() => answered(200, { latencyMs: ms }))
    }
    await world.emit('session.flagged')
    await world.pump(() => answered(500, { latencyMs: 9_000 }))
    await world.clock.advance(2 * minute)
    await world.runner.tick()
    const asked = { webhookId: id, hours: 3 }
    const { hours } = value(await world.service.statistics(auditor, asked))
    assert.deepEqual(
      hours.map(({ from, delivered, failed: lost }) => [from, delivered, lost]),
      [
        [isoOf(start - hour), 0, 0],
        [isoOf(start), 1, 0],
        [isoOf(start + hour), 3, 1],
      ],
    )
    assert.deepEqual([hours[0]?.p50Ms, hours[2]?.p50Ms, hours[2]?.p95Ms], [null, 20, 30])
    const usual = value(await world.service.statistics(auditor, { webhookId: id }))
    assert.equal(usual.hours.length, 24)
  })

  it('end with the webhook, and are refused by their faults and to others', async () => {
    const world = fixture()
    const { id } = await world.created()
    const { service } = world
    for (const hours of [0, 169, 1.5])
      assert.equal(
        code(await service.statistics(auditor, { webhookId: id, hours })),
        'invalid_request',
      )
    assert.equal(code(await service.statistics(stranger, { webhookId: id })), 'not_found')
    await world.pump(obliging)
    value(await service.remove(admin, { webhookId: id }))
    await world.clock.advance(day)
    await world.runner.tick()
    assert.equal(world.store.rows(deliveryHours).length, 0, 'nothing is counted after its end')
    assert.equal(code(await service.statistics(admin, { webhookId: id })), 'not_found')
  })
})
