import type { Socket } from 'node:net'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { signaturesOf, validUnder } from '../signature.ts'
import { obliging, type Script } from '../sink.ts'
import { pause, until } from '../wait.ts'
import { granted, refused } from '../world.ts'
import { acts, done } from './acts.ts'
import { statusOf } from './history.ts'

const source = 'interface, Delivery'
const created = 'review.case.created'

/** Obliging, but for the creation of cases. */
const onCreated =
  (script: Script): Script =>
  (delivery, number) =>
    delivery.event.type === created ? script(delivery, number) : obliging(delivery, number)

const raw = (send: (socket: Socket) => void) => onCreated(() => ({ raw: send }))

export const deliveryChecks = group('deliveries', source, [
  {
    name: 'events',
    promise:
      'each step of a case is told once, in the order of its positions, signed, without what is private',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['*'] })
      const secret = 'canary-in-the-presentation'
      const opened = await world.open({ presentation: { action: secret } })
      const mine = await done(acts.claim(world, opened, 'reviewer'))
      const asked = await done(acts.followUp(world, mine, 'reviewer'))
      const answered = await done(acts.answer(world, asked))
      const decided = await done(acts.decide(world, answered, 'reviewer', 'approved'))
      await done(acts.report(world, decided, 'resumed'))
      const expected = [
        [created, 1, null, 'high_risk_action'],
        ['review.case.assignment_changed', 2, null, 'claimed'],
        ['review.case.follow_up_required', 3, 'follow_up_required', 'high_risk_action'],
        ['review.case.decided', 5, 'approved', 'high_risk_action'],
        ['review.continuation.acknowledged', null, 'approved', 'resumed'],
      ]
      const mineOf = () =>
        hook.came.filter(
          ({ event }) =>
            event.reviewCaseId === opened.reviewCaseId &&
            // Of the callback, wherever that goes in this organization.
            event.type !== 'review.continuation.delivery_failed',
        )
      await until('five events', () => (mineOf().length >= 5 ? true : undefined))
      const told = mineOf().sort(
        (a, b) => Number(a.event.eventSequence) - Number(b.event.eventSequence),
      )
      expectEqual(
        told.map(({ event }, at) => [
          event.type,
          expected[at]?.[1] === null ? null : event.eventSequence,
          event.decision,
          event.reasonCategory,
        ]),
        expected,
        'type, eventSequence, decision, reasonCategory of each event',
      )
      const key = String((hook.record.signing as { publicKey?: unknown }).publicKey)
      const now = (await world.clock.now()) / 1000
      for (const delivery of told) {
        const { id, timestamp } = signaturesOf(delivery)
        expectEqual(id, delivery.event.id, 'webhook-id')
        expectEqual(delivery.event.schemaVersion, 1, 'schemaVersion')
        expect(Math.abs(now - timestamp) < 300, `expected a timestamp of now, got ${timestamp}`)
        expectEqual(validUnder(delivery, key), 1, `valid signatures of ${id}`)
        expect(!delivery.body.includes(secret), `${id} carries what the reviewer is shown`)
      }
      expectEqual(told[0]?.event.presentationDigest, null, 'the digest before any assignment')
      expectEqual(told[1]?.event.presentationDigest, mine.presentationDigest, 'the digest')
    },
  },
  {
    name: 'statuses',
    promise: 'only 2xx is success, and a redirect is not followed',
    needs: ['sink'],
    run: async (world) => {
      const elsewhere = world.sink.endpoint()
      const location = { location: elsewhere.url }
      const statuses = [200, 204, 299, 300, 301, 302, 304, 307, 308, 400, 404, 408, 429, 500, 503]
      const odd = [199, 999]
      const hooks = []
      for (const status of statuses) {
        const script = onCreated(() => ({ status, headers: status < 400 ? location : {} }))
        hooks.push({ status, hook: await world.webhook({ eventTypes: [created] }, script) })
      }
      for (const status of odd) {
        const line = `HTTP/1.1 ${status} Odd\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`
        const script = raw((socket) => void socket.end(line))
        hooks.push({ status, hook: await world.webhook({ eventTypes: [created] }, script) })
      }
      const { reviewCaseId } = await world.open()
      for (const { status, hook } of hooks) {
        const { event } = await hook.first(
          `the event at the endpoint that answers ${status}`,
          (delivery) => delivery.event.reviewCaseId === reviewCaseId,
        )
        const expected = status >= 200 && status < 300 ? 'delivered' : 'retry_scheduled'
        await statusOf(world, hook.id, String(event.id), expected, `an answer of ${status}`)
      }
      expectEqual(elsewhere.came.length, 0, 'requests that followed a redirect')
    },
  },
  {
    name: 'breaks',
    promise:
      'a cut connection, no status line and a broken answer are failures; the server goes on',
    needs: ['sink'],
    run: async (world) => {
      const breaks: Readonly<Record<string, (socket: Socket) => void>> = {
        'a cut connection': (socket) => void socket.destroy(),
        'an early end': (socket) => socket.end(),
        'no status line': (socket) => socket.end('hello\r\n\r\n'),
        'a broken header': (socket) => socket.end('HTTP/1.1 200 OK\r\nbroken\r\n\r\n'),
        'a header of 1 MB': (socket) =>
          socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1e6)}\r\n\r\n`),
      }
      for (const [what, send] of Object.entries(breaks)) {
        const hook = await world.webhook({ eventTypes: [created] }, raw(send))
        const { reviewCaseId } = await world.open()
        const { event } = await hook.first(
          what,
          (delivery) => delivery.event.reviewCaseId === reviewCaseId,
        )
        await statusOf(world, hook.id, String(event.id), 'retry_scheduled', what)
      }
    },
  },
  {
    name: 'deadline',
    promise:
      'status and headers within 10 s decide; a body that never ends is cut and harms nothing',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const drip = raw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n')
        const timer = setInterval(() => socket.write('.'), 50)
        socket.once('close', () => clearInterval(timer))
        socket.on('error', () => clearInterval(timer))
      })
      const dripping = await world.webhook({ eventTypes: [created] }, drip)
      const silent = await world.webhook(
        { eventTypes: [created] },
        onCreated(() => 'silence'),
      )
      const { reviewCaseId } = await world.open()
      const fits = ({ event }: { event: { reviewCaseId?: unknown } }) =>
        event.reviewCaseId === reviewCaseId
      const { event } = await dripping.first('the event at the dripping endpoint', fits)
      await silent.first('the event at the silent endpoint', fits)
      await pause(100)
      await statusOf(world, silent.id, String(event.id), 'delivering', 'nine seconds of silence', {
        before: () => world.clock.advance(9_000),
      })
      await world.clock.advance(1_500)
      await statusOf(world, dripping.id, String(event.id), 'delivered', 'a body that drips')
      await statusOf(
        world,
        silent.id,
        String(event.id),
        'retry_scheduled',
        'ten seconds of silence',
      )
    },
  },
  {
    name: 'gone',
    promise:
      'after a 410 nothing more is sent there, subscription events included; a new URL is needed',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook(
        {},
        onCreated(() => ({ status: 410 })),
      )
      await hook.first('the verification request', ({ event }) => event.challenge !== undefined)
      const opened = await world.open()
      const at = `/v1/webhooks/${hook.id}`
      const off = await until('the webhook to be turned off', async () => {
        const record = granted(await world.admin.get(at))
        return record.status === 'turned_off' ? record : undefined
      })
      expectEqual(off.statusReason, 'endpoint_gone', 'statusReason')
      const came = hook.came.length
      await done(acts.cancel(world, opened))
      await world.open()
      refused(await world.admin.post(`${at}/turn-on`), 409, 'endpoint_gone')
      refused(await world.admin.post(`${at}/test`), 409, 'endpoint_gone')
      await pause(300)
      expectEqual(hook.came.length, came, 'requests after the 410')
      const moved = world.sink.endpoint()
      granted(await world.admin.put(at, { url: moved.url }))
      granted(await world.admin.post(`${at}/turn-on`))
      await moved.first(
        'a verification request at the new URL',
        ({ event }) => event.type === 'subscription.verification_requested',
      )
    },
  },
  {
    name: 'same-bytes',
    promise: 'a retry and a replay have the same id and the same bytes, signed anew',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const hook = await world.webhook(
        { eventTypes: [created] },
        onCreated(({ event }, _) =>
          hook.came.filter((one) => one.event.id === event.id).length === 1
            ? { status: 500 }
            : { status: 204 },
        ),
      )
      const { reviewCaseId } = await world.open()
      const ours = () => hook.came.filter(({ event }) => event.reviewCaseId === reviewCaseId)
      const first = await hook.first(
        'the event',
        ({ event }) => event.reviewCaseId === reviewCaseId,
      )
      const id = String(first.event.id)
      await statusOf(world, hook.id, id, 'retry_scheduled', 'an answer of 500')
      await world.clock.advance(7_000)
      await until('the retry', () => (ours().length >= 2 ? true : undefined))
      await statusOf(world, hook.id, id, 'delivered', 'the retry')
      granted(await world.admin.post(`/v1/webhooks/${hook.id}/deliveries/${id}/replay`))
      await until('the replay', () => (ours().length >= 3 ? true : undefined))
      const key = String((hook.record.signing as { publicKey?: unknown }).publicKey)
      for (const delivery of ours()) {
        expectEqual(delivery.headers['webhook-id'], id, 'webhook-id')
        expect(delivery.body.equals(first.body), 'expected the same bytes')
        expectEqual(validUnder(delivery, key), 1, 'valid signatures')
      }
    },
  },
])
