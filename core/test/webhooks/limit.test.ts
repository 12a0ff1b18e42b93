import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits, goneUrlsPerWebhook } from '../../kernel/ledger/limits.ts'
import type { Command } from '../../webhooks/machine/command.ts'
import { decide, newWebhook } from '../../webhooks/machine/machine.ts'
import { routings, webhooks } from '../../webhooks/records.ts'
import { admin, code, fixture, stranger, value } from './fixture.ts'

const input = { url: 'https://a.example/hook', eventTypes: ['*'] }
const most = defaultLimits.webhooksPerTenant

test('an organization has so many webhooks and no more, however many are made at once', async () => {
  const { service, store } = fixture()
  const atOnce = 10
  const made: (string | null)[] = []
  for (let n = 0; n < most + 5; n += atOnce)
    made.push(
      ...(await Promise.all(
        Array.from({ length: atOnce }, async () => code(await service.create(admin, input))),
      )),
    )
  assert.equal(made.filter((refusal) => refusal === null).length, most)
  assert.deepEqual(new Set(made), new Set([null, 'webhook_limit']))
  assert.equal(store.rows(webhooks).length, most)
  assert.equal(store.rows(routings)[0]?.row.routes.length, most)
  // Another organization has its own; who removes one may make another.
  value(await service.create(stranger, input))
  const [first] = value(await service.list(admin, {})).webhooks
  value(await service.remove(admin, { webhookId: first?.id ?? '' }))
  value(await service.create(admin, input))
  assert.equal(code(await service.create(admin, input)), 'webhook_limit')
})

test('a webhook remembers so many URLs that answered 410, and then takes no other', () => {
  const challenge = { messageId: 'evt_1', challenge: 'x' }
  const times = { now: 1_000, off: 1_000, on: 1_000, floor: null }
  const given = {
    webhookId: 'wh_1',
    tenantId: 'ten_1',
    eventTypes: ['*'],
    description: null,
  } as const
  const signing = { method: 'ed25519', secret: null } as const
  const urlOf = (n: number) => `https://a.example/${n}`
  let { webhook } = newWebhook({ ...given, ...signing, url: urlOf(0) }, challenge, 0)
  const act = (command: Command) => {
    const decided = decide(webhook, command, times)
    if (decided.ok) ({ webhook } = decided.value)
    return code(decided)
  }
  const move = (n: number) => act({ kind: 'update', url: urlOf(n), challenge })
  for (let n = 0; n < goneUrlsPerWebhook; n++) {
    assert.equal(move(n), null)
    assert.equal(act({ kind: 'endpoint_gone', url: urlOf(n) }), null)
  }
  assert.equal(webhook.goneUrls.length, goneUrlsPerWebhook)
  assert.equal(move(goneUrlsPerWebhook), 'endpoint_gone')
  assert.equal(act({ kind: 'update', description: 'kept', challenge }), null)
  // One that was on its way to another URL of its own is remembered still.
  act({ kind: 'endpoint_gone', url: urlOf(goneUrlsPerWebhook) })
  assert.equal(webhook.goneUrls.length, goneUrlsPerWebhook + 1)
})
