import { expect, expectEqual } from '../../assert.ts'
import { retrySchedules } from '../../retry-schedules.ts'
import { group } from '../check.ts'
import { obliging, type Script } from '../sink.ts'
import { pause, until } from '../wait.ts'
import { granted, type World } from '../world.ts'
import { statusOf } from './history.ts'

const source = 'interface, Retry schedule'
const second = 1_000
const hour = 3_600 * second
const created = 'review.case.created'

const failing =
  (headers: Readonly<Record<string, string>> = {}): Script =>
  (delivery, number) =>
    delivery.event.type === created ? { status: 503, headers } : obliging(delivery, number)

/** An event that keeps failing: how often it came, and its id once it did. */
async function keepFailing(world: World, headers?: Readonly<Record<string, string>>) {
  const hook = await world.webhook({ eventTypes: [created] }, failing(headers))
  const { reviewCaseId } = await world.open()
  const first = await hook.first('the event', ({ event }) => event.reviewCaseId === reviewCaseId)
  const id = String(first.event.id)
  await statusOf(world, hook.id, id, 'retry_scheduled', 'an answer of 503')
  const attempts = () => hook.came.filter(({ event }) => event.id === id).length

  /** Nothing until `from` ms from now, one attempt by `to`. */
  async function next(from: number, to: number, what: string): Promise<void> {
    const before = attempts()
    await world.clock.advance(from - second)
    await pause(150)
    expectEqual(attempts(), before, `attempts before ${what}`)
    await world.clock.advance(to - from + 2 * second)
    await until(what, () => (attempts() > before ? true : undefined))
    await statusOf(world, hook.id, id, 'retry_scheduled', what).catch(async (error) => {
      const { status } = granted(await world.admin.get(`/v1/webhooks/${hook.id}`))
      if (status === 'receiving') throw error
    })
    expectEqual(attempts(), before + 1, `attempts after ${what}`)
  }
  return { hook, id, attempts, next }
}

export const scheduleChecks = group('schedule', source, [
  {
    name: 'three-days',
    promise:
      '5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h (+0 to 20 %), a last try at 72 h, then off with retries_exhausted',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const from = await world.clock.now()
      const { hook, id, attempts, next } = await keepFailing(world)
      const { waits, jitter, last, most } = retrySchedules.review
      for (const [at, wait] of waits.entries())
        await next(
          wait,
          wait * (1 + jitter),
          `attempt ${at + 2}, ${wait / second} s after the one before`,
        )
      const left = from + last - (await world.clock.now())
      await next(left, left + 4 * second, 'the last attempt, 72 h after the first')
      const off = await until('the webhook to be turned off', async () => {
        const record = granted(await world.admin.get(`/v1/webhooks/${hook.id}`))
        return record.status === 'turned_off' ? record : undefined
      })
      expectEqual(off.statusReason, 'retries_exhausted', 'statusReason')
      await statusOf(world, hook.id, id, 'dead_lettered', 'the last attempt')
      const told = await hook.first(
        'subscription.disabled',
        ({ event }) => event.type === 'subscription.disabled',
      )
      expectEqual(told.event.reason, 'retries_exhausted', 'the reason that is told')
      await world.clock.advance(48 * hour)
      await pause(200)
      expectEqual(attempts(), most, 'attempts two days later')
      expectEqual(hook.of('subscription.disabled').length, 1, 'times that it was told')
    },
  },
  {
    name: 'retry-after',
    promise: 'Retry-After lengthens a wait to at most twice, and shortens none',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const far = await keepFailing(world, { 'retry-after': '1000000000' })
      await far.next(9 * second, 10 * second, 'a retry at twice the wait')
      for (const value of ['-5', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', '0']) {
        const { next } = await keepFailing(world, { 'retry-after': value })
        await next(4 * second, 6 * second, `a retry after ${value}`)
      }
    },
  },
  {
    name: 'others-go-on',
    promise: 'one event that keeps failing does not hold back the others',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const { hook } = await keepFailing(world)
      hook.follow(obliging)
      const { reviewCaseId } = await world.open()
      const { event } = await hook.first(
        'another event meanwhile',
        (delivery) => delivery.event.reviewCaseId === reviewCaseId,
      )
      await statusOf(world, hook.id, String(event.id), 'delivered', 'a 2xx')
      expect(hook.came.length >= 3, 'expected the verification request and two events')
    },
  },
])
