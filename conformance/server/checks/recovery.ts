import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { obliging, type Script } from '../sink.ts'
import { until } from '../wait.ts'
import { type Body, granted, refused, type World } from '../world.ts'
import { statusOf } from './history.ts'

const created = 'review.case.created'
const verification = 'subscription.verification_requested'

type Hook = Awaited<ReturnType<World['webhook']>>

async function logOf(world: World, hook: Hook): Promise<readonly Body[]> {
  const found = granted(await world.reviewer.get(`/v1/webhooks/${hook.id}/delivery-logs`))
  return found.deliveryLogs as readonly Body[]
}

async function eventAt(world: World, hook: Hook) {
  const { reviewCaseId } = await world.open()
  return hook.first('the event', ({ event }) => event.reviewCaseId === reviewCaseId)
}

export const recoveryChecks = group('recovery', 'interface, Delivery; Recovery read', [
  {
    name: 'logs',
    promise: 'each attempt is in the log, newest first, with what was sent and what was answered',
    needs: ['sink'],
    run: async (world) => {
      const script: Script = (delivery, number) =>
        delivery.event.type === created
          ? { status: 418, headers: { 'x-brewed': 'no' }, body: 'short and stout' }
          : obliging(delivery, number)
      const hook = await world.webhook({ eventTypes: [created] }, script)
      const { event, body } = await eventAt(world, hook)
      const entry = await until('the attempt in the log', async () =>
        (await logOf(world, hook)).find(({ eventId }) => eventId === event.id),
      )
      expectEqual(
        [entry.eventType, entry.attempt, entry.trigger, entry.outcome, entry.family],
        [created, 1, 'event', 'failed', 'standard'],
        'type, attempt, trigger, outcome and family',
      )
      expectEqual(
        [entry.responseStatus, entry.responseBody, (entry.responseHeaders as Body)['x-brewed']],
        [418, 'short and stout', 'no'],
        'the answer',
      )
      expectEqual(entry.requestBody, body.toString('utf8'), 'what was sent')
      expect(Number(entry.latencyMs) >= 0, `expected a latency, got ${String(entry.latencyMs)}`)
      const triggers = (await logOf(world, hook)).map(({ trigger }) => trigger)
      expectEqual(triggers, ['event', 'verification'], 'what was sent, newest first')
      const page = granted(
        await world.reviewer.get(`/v1/webhooks/${hook.id}/delivery-logs?pageSize=1&page=2`),
      )
      const [second] = page.deliveryLogs as readonly Body[]
      expectEqual([second?.trigger, page.totalCount], ['verification', 2], 'the second page')
      refused(await world.nobody.portal.get(`/v1/webhooks/${hook.id}/delivery-logs`), 401)
    },
  },
  {
    name: 'inspection',
    promise:
      'what a webhook was owed is listed, newest first, each with its last answer and next try; and read with all of them',
    needs: ['sink'],
    run: async (world) => {
      const script: Script = (delivery, number) =>
        delivery.event.type === created ? { status: 503 } : obliging(delivery, number)
      const hook = await world.webhook({ eventTypes: [created] }, script)
      const { event, body } = await eventAt(world, hook)
      const id = String(event.id)
      await statusOf(world, hook.id, id, 'retry_scheduled', 'an answer of 503')
      const at = `/v1/webhooks/${hook.id}/deliveries`
      const all = granted(await world.reviewer.get(at))
      const [newest, first] = all.rows as readonly Body[]
      expectEqual(
        [newest?.eventId, newest?.kind, newest?.attempts, newest?.lastResponseStatus],
        [id, 'event', 1, 503],
        'id, kind, tries and last answer of the event',
      )
      expectEqual([first?.kind, first?.status], ['notice', 'delivered'], 'the challenge')
      const next = Date.parse(String(newest?.nextAttemptAt))
      const last = Date.parse(String(newest?.lastAttemptAt))
      expect(
        next > last,
        `expected a try after the last, got one at ${String(newest?.nextAttemptAt)}`,
      )
      const part = granted(await world.reviewer.get(`${at}?type=${created}&limit=1`))
      expectEqual([part.totalCount, part.next], [1, null], 'deliveries of the type')
      const none = granted(await world.reviewer.get(`${at}?status=dead_lettered`))
      expectEqual(none.rows, [], 'what was given up')
      refused(await world.reviewer.get(`${at}?status=lost`), 400)
      const read = granted(await world.reviewer.get(`${at}/${id}`))
      expectEqual(read.requestBody, body.toString('utf8'), 'what was sent')
      const [tried] = read.attempts as readonly Body[]
      expectEqual([tried?.attempt, tried?.responseStatus], [1, 503], 'the attempt and its answer')
      expectEqual((read.schedule as readonly unknown[]).length, 9, 'the tries to come')
      refused(await world.reviewer.get(`${at}/evt_nope`), 404)
      refused(await world.nobody.portal.get(at), 401)
      const counted = granted(
        await world.reviewer.get(`/v1/webhooks/${hook.id}/statistics?hours=3`),
      )
      expectEqual((counted.hours as readonly unknown[]).length, 3, 'hours of the statistics')
      const everywhere = granted(await world.admin.get(`/v1/portal/events/${id}`))
      expectEqual((everywhere.event as Body).id, id, 'the event')
      const mine = (everywhere.deliveries as readonly Body[]).find(
        ({ webhookId }) => webhookId === hook.id,
      )
      expectEqual([mine?.eventId, mine?.lastResponseStatus], [id, 503], 'its delivery')
      refused(await world.nobody.portal.get(`/v1/portal/events/${id}`), 401)
    },
  },
  {
    name: 'windows',
    promise:
      'a span of time in which a webhook was off is listed with why, and when it was reported',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: [created] })
      await hook.first('the challenge', ({ event }) => event.type === verification)
      const at = `/v1/webhooks/${hook.id}`
      const windows = async () =>
        granted(await world.reviewer.get(`${at}/missed-windows`)).missedWindows as readonly Body[]
      expectEqual(await windows(), [], 'windows of a webhook that was never off')
      granted(await world.admin.post(`${at}/turn-off`))
      const [open] = await windows()
      expectEqual([open?.missedUntil, open?.reason], [null, 'owner'], 'end and reason while off')
      granted(await world.admin.post(`${at}/turn-on`))
      const told = await hook.first(
        'the report',
        ({ event }) => event.type === 'subscription.events_missed',
      )
      const shown = await until('the window as reported', async () =>
        (await windows()).find(({ reportedAt }) => reportedAt !== null),
      )
      expectEqual(
        [shown.missedFrom, shown.missedUntil, shown.reason],
        [told.event.missedFrom, told.event.missedUntil, 'owner'],
        'begin, end and reason',
      )
      refused(await world.nobody.portal.get(`${at}/missed-windows`), 401)
    },
  },
  {
    name: 'recover',
    promise: 'what was given up within a span of time is sent again, each with its result',
    needs: ['sink'],
    run: async (world) => {
      let status = 500
      const script: Script = (delivery, number) =>
        delivery.event.type === created ? { status } : obliging(delivery, number)
      const hook = await world.webhook({ eventTypes: [created] }, script)
      const from = new Date((await world.clock.now()) - 60_000).toISOString()
      const { event } = await eventAt(world, hook)
      const id = String(event.id)
      await statusOf(world, hook.id, id, 'retry_scheduled', 'an answer of 500')
      const at = `/v1/webhooks/${hook.id}`
      granted(await world.admin.post(`${at}/turn-off`))
      await statusOf(world, hook.id, id, 'dead_lettered', 'turning the webhook off')
      const end = new Date((await world.clock.now()) + 60_000).toISOString()
      const span = { from, until: end }
      refused(await world.admin.post(`${at}/recover`, span), 409, 'invalid_transition')
      status = 204
      granted(await world.admin.post(`${at}/turn-on`))
      refused(await world.admin.post(`${at}/recover`, { from: end, until: from }), 400)
      const { results } = granted(await world.admin.post(`${at}/recover`, span))
      expectEqual(results, [{ eventId: id, result: 'replayed' }], 'the results')
      await statusOf(world, hook.id, id, 'delivered', 'a recovery')
      const sent = hook.came.filter((one) => one.event.id === id)
      expect(
        sent[0]?.body.equals(sent.at(-1)?.body ?? Buffer.alloc(0)) === true,
        'expected the same bytes',
      )
    },
  },
  {
    name: 'challenge-again',
    promise: 'an admin has another challenge sent, and a changed webhook keeps what was not named',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: [created], description: 'Of the suite' })
      const first = await hook.first('the challenge', ({ event }) => event.type === verification)
      const at = `/v1/webhooks/${hook.id}`
      refused(await world.reviewer.post(`${at}/verification`), 403, 'forbidden')
      granted(await world.admin.post(`${at}/verification`))
      const second = await hook.first(
        'another challenge',
        ({ event }) => event.type === verification && event.id !== first.event.id,
      )
      expect(second.event.challenge !== first.event.challenge, 'expected another challenge')
      const saved = granted(await world.admin.put(at, { eventTypes: ['*'] }))
      expectEqual(
        [saved.eventTypes, saved.description, saved.url],
        [['*'], 'Of the suite', hook.url],
        'types, description and URL',
      )
      const { webhooks } = granted(await world.reviewer.get('/v1/webhooks'))
      const listed = (webhooks as readonly Body[]).some(({ id }) => id === hook.id)
      expect(listed, 'expected the webhook in the list')
    },
  },
])
