import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { validUnder } from '../signature.ts'
import { obliging, type Script } from '../sink.ts'
import { pause, until } from '../wait.ts'
import { type Body, granted, refused, type World } from '../world.ts'
import { historyOf } from './history.ts'

const source = 'interface, Subscription event'
const hour = 3_600_000
const created = 'review.case.created'
const verification = 'subscription.verification_requested'

type Signing = { readonly secret?: string; readonly previousSecretValidUntil: string | null }
const signingOf = (record: Body): Signing => record.signing as Signing

async function eventOf(world: World, hook: Awaited<ReturnType<World['webhook']>>) {
  const { reviewCaseId } = await world.open()
  return hook.first('the event', ({ event }) => event.reviewCaseId === reviewCaseId)
}

const challengeAnswer =
  (body: (challenge: string) => string): Script =>
  (delivery, number) =>
    delivery.event.type === verification
      ? { status: 200, body: body(String(delivery.event.challenge)) }
      : obliging(delivery, number)

export const subscriptionChecks = group('subscriptions', source, [
  {
    name: 'challenge',
    promise:
      'only the challenge itself, as the one member of an object, verifies; nothing waits for it',
    needs: ['sink'],
    run: async (world) => {
      const answers: readonly (readonly [string, (challenge: string) => string])[] = [
        ['verified', (challenge) => JSON.stringify({ challenge })],
        ['failed', (challenge) => JSON.stringify({ challenge: `${challenge}x` })],
        ['failed', (challenge) => JSON.stringify({ challenge, more: 1 })],
        ['failed', (challenge) => JSON.stringify([challenge])],
        ['failed', (challenge) => challenge],
        ['failed', () => ''],
      ]
      for (const [expected, body] of answers) {
        const hook = await world.webhook({ eventTypes: [created] }, challengeAnswer(body))
        const state = await until('the verification to end', async () => {
          const record = granted(await world.admin.get(`/v1/webhooks/${hook.id}`))
          const found = (record.verification as { state: string }).state
          return found === 'pending' ? undefined : found
        })
        expectEqual(state, expected, `the verification after ${body('CHALLENGE') || 'nothing'}`)
        await eventOf(world, hook)
      }
    },
  },
  {
    name: 'rotation',
    promise: 'after a rotation both secrets sign for 24 h, then the new one alone',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const hook = await world.webhook({
        eventTypes: [created],
        signing: { method: 'shared_secret' },
      })
      const before = String(signingOf(hook.record).secret)
      const first = await eventOf(world, hook)
      expectEqual(validUnder(first, before), 1, 'signatures under the first secret')
      const at = `/v1/webhooks/${hook.id}`
      const read = granted(await world.admin.get(at))
      expect(!JSON.stringify(read).includes(before), 'the secret is told again in a read')
      const rotated = granted(await world.admin.post(`${at}/rotate-secret`))
      const after = String(signingOf(rotated).secret)
      const until24 = Date.parse(String(signingOf(rotated).previousSecretValidUntil))
      const told = await hook.first(
        'subscription.signing_key_rotating',
        ({ event }) => event.type === 'subscription.signing_key_rotating',
      )
      expectEqual(Date.parse(String(told.event.previousSecretValidUntil)), until24, 'the end told')
      refused(await world.admin.post(`${at}/rotate-secret`), 409, 'already_rotating')

      const under = async () => {
        const delivery = await eventOf(world, hook)
        return [validUnder(delivery, before), validUnder(delivery, after)]
      }
      expectEqual(await under(), [1, 1], 'signatures under the old and the new secret')
      await world.clock.advance(until24 - (await world.clock.now()) - 60_000)
      expectEqual(await under(), [1, 1], 'the same a minute before the end')
      await world.clock.advance(61_000)
      expectEqual(await under(), [0, 1], 'the same after 24 h')
    },
  },
  {
    name: 'missed',
    promise:
      'what came while it was off is inside the window that is told on return, and not in the recovery read',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const hook = await world.webhook()
      const before = await eventOf(world, hook)
      const at = `/v1/webhooks/${hook.id}`
      await world.clock.advance(1_000)
      const off = granted(await world.admin.post(`${at}/turn-off`))
      expectEqual([off.status, off.statusReason], ['turned_off', 'owner'], 'status, statusReason')
      await world.clock.advance(hour)
      const missed = await world.open()
      await pause(200)
      await world.clock.advance(hour)
      const on = granted(await world.admin.post(`${at}/turn-on`))
      expectEqual(on.status, 'receiving', 'status')
      const told = await hook.first(
        'subscription.events_missed',
        ({ event }) => event.type === 'subscription.events_missed',
      )
      expect(hook.of(verification).length >= 2, 'expected a verification request after turning on')
      const [from, end] = [told.event.missedFrom, told.event.missedUntil].map((time) =>
        Date.parse(String(time)),
      ) as [number, number]
      expectEqual(from, Date.parse(String(off.turnedOffAt)), 'missedFrom')
      const time = Date.parse(String(missed.createdAt))
      expect(from <= time && time < end, `${missed.createdAt} is not inside the window`)
      const sent = Date.parse(String(before.event.time))
      expect(sent < from, 'an event that was sent is inside the window')
      const after = await eventOf(world, hook)
      expect(Date.parse(String(after.event.time)) >= end, 'a later event is inside the window')
      const listed = (await historyOf(world, hook.id)).map(({ event }) => event.reviewCaseId)
      expect(!listed.includes(missed.reviewCaseId), 'a missed event is in the recovery read')
      expect(
        !hook.came.some(({ event }) => event.reviewCaseId === missed.reviewCaseId),
        'a missed event was sent',
      )
    },
  },
  {
    name: 'recovery',
    promise:
      'the recovery read lists what was sent, newest first, in pages; a permission is needed',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: [created] })
      const sent: string[] = []
      for (let count = 0; count < 5; count++)
        sent.unshift(String((await eventOf(world, hook)).event.id))
      const query = `/v1/review-events?subscriptionId=${hook.id}`
      const page = async (number: number) =>
        granted(await world.admin.get(`${query}&pageSize=2&page=${number}`))
      const pages = [await page(1), await page(2), await page(3)]
      const ids = pages.flatMap(({ events }) =>
        (events as readonly { event: Body }[]).map(({ event }) => event.id),
      )
      expectEqual(ids, sent, 'the events, newest first')
      expectEqual(
        pages.map(({ totalCount, hasMore, pageSize }) => [totalCount, hasMore, pageSize]),
        [
          [5, true, 2],
          [5, true, 2],
          [5, false, 2],
        ],
        'totalCount, hasMore, pageSize',
      )
      refused(await world.admin.get(`${query}&pageSize=101`), 400)
      refused(await world.admin.get('/v1/review-events'), 400)
      refused(await world.admin.get('/v1/review-events?subscriptionId=wh_0'), 404)
    },
  },
  {
    name: 'test',
    promise: 'the test sends alert.triggered once, in the legacy envelope, and is not listed',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: [created] })
      granted(await world.admin.post(`/v1/webhooks/${hook.id}/test`))
      const { event } = await hook.first(
        'alert.triggered',
        (delivery) => delivery.event.type === 'alert.triggered',
      )
      for (const member of ['id', 'timestamp', 'tenantId', 'data'])
        expect(member in event, `expected ${member} in the legacy envelope`)
      const listed = await historyOf(world, hook.id)
      expect(!listed.some(({ event: one }) => one.id === event.id), 'the test is listed')
    },
  },
  {
    name: 'urls',
    promise: 'only https is taken, without user info, and never a private address in disguise',
    needs: ['sink'],
    run: async (world) => {
      const urls = [
        'http://example.com/hook',
        'ftp://example.com/hook',
        'https://user:secret@example.com/hook',
        'https://example.com:22/hook',
        'https://169.254.169.254/latest',
        'https://10.0.0.1/hook',
        'https://[fd00::1]/hook',
        'https://0xa9fea9fe/hook',
        'not a url',
      ]
      for (const url of urls) {
        const answer = await world.admin.post('/v1/webhooks', { url, eventTypes: ['*'] })
        if (answer.status === 200)
          await world.admin.ask({ method: 'DELETE', path: `/v1/webhooks/${answer.body.id}` })
        refused(answer, 400)
      }
    },
  },
  {
    name: 'rights',
    promise: 'webhooks are managed by admins and seen by all members',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook()
      granted(await world.reviewer.get(`/v1/webhooks/${hook.id}`))
      granted(await world.reviewer.get('/v1/webhooks'))
      refused(await world.reviewer.post(`/v1/webhooks/${hook.id}/turn-off`), 403)
      refused(await world.reviewer.put(`/v1/webhooks/${hook.id}`, {}), 403)
      refused(await world.nobody.portal.get('/v1/webhooks'), 401)
    },
  },
])
