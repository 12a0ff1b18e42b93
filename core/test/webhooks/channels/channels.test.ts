import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChannelInput, unwrap } from '@countersign/core'
import { answered } from '@countersign/core/testing'
import { auditLog } from '../../../kernel/ledger/audit.ts'
import { deliveries } from '../../../outbox/records.ts'
import { notificationChannels } from '../../../webhooks/channels/records.ts'
import { createWorld, setPlan, type World } from '../../sessions/world.ts'

const hook = 'https://chat.example/services/T000/B000/secretword'
const slack: ChannelInput = {
  kind: 'slack',
  webhookUrl: hook,
  eventTypes: ['gdpr.legal_hold_placed'],
}

async function started(
  options?: Parameters<typeof createWorld>[0],
): Promise<World & { readonly chats: () => number }> {
  const world = await createWorld(options)
  world.service.start()
  return {
    ...world,
    chats: () => world.transport.exchanges.filter(({ url }) => url === hook).length,
  }
}

/** Emits one event. */
async function placeHold({ service, admin, clock }: World): Promise<void> {
  unwrap(await service.legalHolds.place(admin, { dataSubjectId: 'ada', matter: 'Case 7' }))
  await clock.advance(1)
}

describe('a chat channel', () => {
  it('hears of what it selected, beside webhooks, with the retries of the older family', async () => {
    const world = await started()
    const { service, admin, transport, clock, chats, rows } = world
    const { channelId } = unwrap(await service.notificationChannels.create(admin, slack))
    await placeHold(world)
    assert.equal(chats(), 1)
    const [sent] = transport.exchanges.filter(({ url }) => url === hook)
    const body = new TextDecoder().decode(sent?.body)
    assert.ok(body.includes('gdpr.legal_hold_placed') && !body.includes('ada'))
    assert.deepEqual(Object.keys(sent?.headers ?? {}), ['content-type'])

    transport.follow(() => answered(500))
    await placeHold(world)
    await clock.advance(300_000)
    assert.equal(chats(), 1 + 4)
    assert.match(
      unwrap(await service.notificationChannels.read(admin, { channelId })).lastError ?? '',
      /500/,
    )
    const chat = rows(deliveries).filter(({ endpointId }) => endpointId === channelId)
    assert.deepEqual(
      chat.map(({ status }) => status),
      ['delivered', 'dead_lettered'],
    )
    await service.close()
  })

  it('names the organization as it is called when the message is sent', async () => {
    const world = await started()
    const { service, admin, transport } = world
    const teams = { ...slack, kind: 'teams', webhookUrl: `${hook}/teams` } as const
    unwrap(await service.notificationChannels.create(admin, slack))
    unwrap(await service.notificationChannels.create(admin, teams))
    const named = () =>
      transport.exchanges
        .filter(({ url }) => url.startsWith(hook))
        .map(({ body }) => /Acme(?: Holding)?(?= · evt)/.exec(new TextDecoder().decode(body))?.[0])
    await placeHold(world)
    assert.deepEqual(named(), ['Acme', 'Acme'])
    unwrap(
      await service.profile.update(admin, {
        organizationName: 'Acme Holding',
        contactEmail: 'ada@acme.example',
      }),
    )
    await placeHold(world)
    assert.deepEqual(named(), ['Acme', 'Acme', 'Acme Holding', 'Acme Holding'])
    await service.close()
  })

  it('is turned off by a 410 until its URL is saved again', async () => {
    const world = await started()
    const { service, admin, transport, chats, store, owner } = world
    const { channelId } = unwrap(await service.notificationChannels.create(admin, slack))
    transport.follow(({ url }) => answered(url === hook ? 410 : 200))
    await placeHold(world)
    await placeHold(world)
    assert.equal(chats(), 1)
    assert.equal(
      unwrap(await service.notificationChannels.read(admin, { channelId })).state,
      'turned_off',
    )
    const tested = await service.notificationChannels.test(admin, { channelId })
    assert.equal(tested.ok ? 'ok' : tested.refusal.code, 'endpoint_gone')
    const [log] = await store.read(owner.tenantId, [
      { log: auditLog.name, partition: owner.tenantId, after: 0, take: 100 },
    ])
    const entries = (log?.rows ?? []).map(({ row }) =>
      new TextDecoder().decode((row as { readonly entry: Uint8Array }).entry),
    )
    assert.ok(entries.some((entry) => entry.includes('notification_channel.turned_off')))
    assert.ok(entries.every((entry) => !entry.includes('secretword')))

    transport.follow(() => answered(200))
    unwrap(await service.notificationChannels.update(admin, { channelId, webhookUrl: hook }))
    await placeHold(world)
    assert.equal(chats(), 2)
    await service.close()
  })

  it('keeps its URL sealed and shows it masked; disabled or removed it hears nothing', async () => {
    const world = await started()
    const { service, admin, chats, rows, clock } = world
    const made = unwrap(await service.notificationChannels.create(admin, slack))
    assert.equal(made.webhookUrl, 'https://chat.example/…word')
    const [row] = rows(notificationChannels)
    assert.ok(row?.webhookUrl instanceof Uint8Array)
    const testing = service.notificationChannels.test(admin, { channelId: made.channelId })
    await clock.advance(1)
    assert.deepEqual(unwrap(await testing), {
      outcome: 'delivered',
      responseStatus: 200,
      error: null,
    })
    unwrap(
      await service.notificationChannels.update(admin, {
        channelId: made.channelId,
        enabled: false,
      }),
    )
    await placeHold(world)
    assert.equal(chats(), 1)
    unwrap(await service.notificationChannels.remove(admin, { channelId: made.channelId }))
    await placeHold(world)
    assert.equal(chats(), 1)
    await service.close()
  })

  it('sends nothing under a smaller plan, where it can be turned off', async () => {
    const world = await started()
    const { service, admin, owner, transport, clock, chats, rows } = world
    const under = async (plan: 'Builder' | 'Team') =>
      unwrap(await service.tenants.setPlan({ kind: 'system' }, { tenantId: owner.tenantId, plan }))
    const { channelId } = unwrap(await service.notificationChannels.create(admin, slack))
    const update = async (input: Partial<ChannelInput>) => {
      const result = await service.notificationChannels.update(admin, { channelId, ...input })
      return result.ok ? result.value.enabled : result.refusal.code
    }
    transport.follow(() => answered(500))
    await placeHold(world)
    assert.equal(chats(), 1)
    await under('Builder')
    transport.follow(() => answered(200))
    await placeHold(world)
    await clock.advance(300_000)
    assert.equal(chats(), 1, 'neither the retry nor the next event')
    assert.deepEqual(
      rows(deliveries)
        .filter(({ endpointId }) => endpointId === channelId)
        .map(({ status }) => status),
      ['dead_lettered', 'dead_lettered'],
    )
    for (const input of [
      { enabled: true },
      { eventTypes: ['*'] },
      { enabled: false, webhookUrl: hook },
    ] as const)
      assert.equal(await update(input), 'plan_required')
    assert.equal(await update({ enabled: false }), false)
    assert.equal(await update({ enabled: true }), 'plan_required')
    await under('Team')
    assert.equal(await update({ enabled: true }), true)
    await placeHold(world)
    assert.equal(chats(), 2)
    await service.close()
  })

  it('is not sent to when the plan shrinks after the organization was read', async () => {
    let afterRead: (() => Promise<unknown>) | null = null
    const world = await started({
      wrap: (store) => ({
        ...store,
        async read(tenant, reads) {
          const found = await store.read(tenant, reads)
          const shrink = afterRead
          if (
            tenant === null &&
            shrink &&
            reads.some((one) => 'get' in one && one.get === 'tenants')
          ) {
            afterRead = null
            await shrink()
          }
          return found
        },
      }),
    })
    const { service, admin, owner, chats } = world
    unwrap(await service.notificationChannels.create(admin, slack))
    const system = { kind: 'system' } as const
    afterRead = () => service.tenants.setPlan(system, { tenantId: owner.tenantId, plan: 'Builder' })
    await placeHold(world)
    assert.deepEqual([afterRead, chats()], [null, 0])
    await service.close()
  })

  it('needs the plan Team, a known event type and an address that may be called', async () => {
    const world = await createWorld()
    const { service, admin } = world
    const refused = async (input: Partial<ChannelInput>) => {
      const result = await service.notificationChannels.create(admin, { ...slack, ...input })
      return result.ok ? 'ok' : result.refusal.code
    }
    assert.equal(await refused({ eventTypes: ['subscription.disabled'] }), 'invalid_request')
    assert.equal(await refused({ eventTypes: [] }), 'invalid_request')
    assert.equal(await refused({ webhookUrl: 'http://chat.example/x' }), 'invalid_url')
    const unusable = await service.notificationChannels.create(admin, {
      ...slack,
      webhookUrl: 'http://x',
    })
    assert.ok(!unusable.ok)
    assert.match(unusable.refusal.detail, /^\/webhookUrl: /)
    assert.equal(unusable.refusal.errors?.[0]?.pointer, '/webhookUrl')
    await setPlan(world, 'Builder')
    assert.equal(await refused({}), 'plan_required')
  })

  it('refuses the URL that it shows, which is not the true one', async () => {
    const { service, admin } = await createWorld()
    const made = unwrap(await service.notificationChannels.create(admin, slack))
    const { channelId, webhookUrl } = made
    for (const shown of [webhookUrl, encodeURI(webhookUrl)]) {
      const changed = await service.notificationChannels.update(admin, {
        channelId,
        webhookUrl: shown,
      })
      assert.ok(!changed.ok)
      assert.equal(changed.refusal.code, 'invalid_request')
      assert.equal(changed.refusal.errors?.[0]?.pointer, '/webhookUrl')
    }
    assert.deepEqual(unwrap(await service.notificationChannels.read(admin, { channelId })), made)
  })
})
