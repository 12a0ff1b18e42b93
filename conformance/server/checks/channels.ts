import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { pause, until } from '../wait.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const channels = '/v1/customer/notification-channels'
const created = 'review.case.created'
const pathOf = ({ channelId }: Body) => `${channels}/${String(channelId)}`

/** Runs with a channel, and removes it; nothing where the plan has none. */
async function withChannel(
  world: World,
  body: Body,
  run: (made: Body) => Promise<void>,
): Promise<void> {
  const { features } = granted(await world.admin.get('/v1/customer/entitlements'))
  const answer = await world.admin.post(channels, { eventTypes: [created], ...body })
  if ((features as Body).notificationChannels !== true) {
    refused(answer, 403, 'plan_required')
    return
  }
  const made = granted(answer)
  try {
    await run(made)
  } finally {
    granted(await world.admin.ask({ method: 'DELETE', path: pathOf(made) }))
  }
  refused(await world.admin.get(pathOf(made)), 404, 'not_found')
}

export const channelChecks = group('channels', 'interface, Chat channels', [
  {
    name: 'slack',
    promise:
      'a channel takes each selected event as blocks without content, and nothing while it is off',
    needs: ['sink'],
    run: async (world) => {
      const chat = world.sink.endpoint(() => ({ status: 200, body: 'ok' }))
      await withChannel(world, { kind: 'slack', webhookUrl: chat.url }, async (made) => {
        expectEqual([made.state, made.enabled], ['active', true], 'state and enabled')
        const path = new URL(chat.url).pathname
        expect(!String(made.webhookUrl).includes(path), `expected ${made.webhookUrl} to be masked`)
        const secret = 'canary-in-the-presentation'
        const { reviewCaseId } = await world.open({ presentation: { action: secret } })
        const message = await chat.first('the message', ({ body }) => body.includes(reviewCaseId))
        expect(Array.isArray(message.event.blocks), `expected blocks, got ${message.body}`)
        expect(!message.body.includes(secret), 'expected no content in the message')
        expect(message.headers['webhook-signature'] === undefined, 'expected no signature')
        granted(await world.admin.put(pathOf(made), { enabled: false }))
        const came = chat.came.length
        await world.open()
        await pause(300)
        expectEqual(chat.came.length, came, 'messages while the channel is off')
      })
    },
  },
  {
    name: 'teams',
    promise: 'a channel of Teams takes an Adaptive Card, and a test tells how the tool answered',
    needs: ['sink'],
    run: async (world) => {
      let status = 202
      const chat = world.sink.endpoint(() => ({ status }))
      await withChannel(world, { kind: 'teams', webhookUrl: chat.url }, async (made) => {
        const sent = granted(await world.admin.post(`${pathOf(made)}/test`))
        expectEqual([sent.outcome, sent.responseStatus], ['delivered', 202], 'the test')
        const message = await chat.first('the card', ({ event }) => event.type === 'message')
        const [attachment] = message.event.attachments as readonly Body[]
        expectEqual(
          [attachment?.contentType, (attachment?.content as Body | undefined)?.version],
          ['application/vnd.microsoft.card.adaptive', '1.4'],
          'the kind of card and its version',
        )
        status = 410
        const failed = granted(await world.admin.post(`${pathOf(made)}/test`))
        expectEqual([failed.outcome, failed.responseStatus], ['failed', 410], 'the test')
        await until('the channel to be turned off', async () =>
          granted(await world.reviewer.get(pathOf(made))).state === 'turned_off' ? true : undefined,
        )
        status = 202
        const moved = world.sink.endpoint(() => ({ status: 202 }))
        const saved = granted(await world.admin.put(pathOf(made), { webhookUrl: moved.url }))
        expectEqual(saved.state, 'active', 'the state under another URL')
      })
    },
  },
  {
    name: 'rights',
    promise: 'channels are read by every member and managed by admins, at https alone',
    needs: ['sink'],
    run: async (world) => {
      const chat = world.sink.endpoint(() => ({ status: 200 }))
      const body = { kind: 'slack', webhookUrl: chat.url, eventTypes: [created] }
      refused(await world.reviewer.post(channels, body), 403, 'forbidden')
      await withChannel(world, body, async (made) => {
        refused(
          await world.admin.post(channels, { ...body, webhookUrl: 'http://example.com/hook' }),
          400,
        )
        refused(await world.admin.post(channels, { ...body, kind: 'pigeon' }), 400)
        refused(await world.reviewer.put(pathOf(made), { enabled: false }), 403, 'forbidden')
        refused(await world.reviewer.post(`${pathOf(made)}/test`), 403, 'forbidden')
        const list = granted(await world.reviewer.get(`${channels}?pageSize=100`))
        const ids = (list.notificationChannels as readonly Body[]).map(({ channelId }) => channelId)
        expect(ids.includes(made.channelId), 'expected the channel in the list')
      })
    },
  },
])
