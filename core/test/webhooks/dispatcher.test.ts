import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentObserver } from '../../base/ports/observer.ts'
import type { Exchange, ExchangeResult } from '../../base/ports/transport.ts'
import { openGroups } from '../../kernel/facade.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import { commit, createLedger } from '../../kernel/ledger/ledger.ts'
import { defaultLimits } from '../../kernel/ledger/limits.ts'
import { one, put } from '../../kernel/ledger/reads.ts'
import { createPost } from '../../kernel/mail/post.ts'
import { createKernelPorts } from '../../kernel-ports.ts'
import { createIssuerKeys } from '../../keys/issuer-keys.ts'
import { members } from '../../organizations/access/records.ts'
import { createDispatcher } from '../../outbox/dispatcher.ts'
import { defaultDispatcherOptions } from '../../outbox/options.ts'
import { deliveries, messages } from '../../outbox/records.ts'
import { createTestTurns } from '../../outbox/test-turns.ts'
import { portablePrimitives } from '../../proof/signing/portable.ts'
import { collections } from '../../rooms.ts'
import {
  answered,
  createManualClock,
  createMemoryStore,
  plainSealer,
  scriptedEgress,
  scriptedTransport,
  seededRandom,
} from '../../testing/index.ts'
import { createWebhookKinds } from '../../webhooks/delivery/delivery-kinds.ts'
import { webhookOperations } from '../../webhooks/operations.ts'
import { routings, webhooks } from '../../webhooks/records.ts'
import { fanOut, routingOf } from '../../webhooks/routing/fan-out.ts'
import { admin, code, minute, recordOf, start, value } from './fixture.ts'

type Script = (event: Readonly<Record<string, unknown>>, exchange: Exchange) => ExchangeResult

const obliging: Script = ({ challenge }) =>
  answered(200, challenge ? { body: JSON.stringify({ challenge }) } : {})

/** The room with the real dispatcher before a scripted world. */
function running(script: Script = obliging) {
  const store = createMemoryStore({ collections, logs: [auditLog] })
  const clock = createManualClock(start)
  const random = seededRandom(7)
  const ledger = createLedger({ store, clock, random })
  const sealer = plainSealer()
  const primitives = portablePrimitives
  const keys = createIssuerKeys({ ledger, sealer, primitives })
  const transport = scriptedTransport((exchange) =>
    script(JSON.parse(new TextDecoder().decode(exchange.body)), exchange),
  )
  const kinds = createWebhookKinds({
    ...{ ledger, sealer, keys, primitives },
    post: createPost({ sealer }),
  })
  const observer = silentObserver
  const dispatcher = createDispatcher({ ledger, clock, random, transport, kinds, observer })
  const { intake, outcomes } = dispatcher
  const egress = scriptedEgress()
  const limits = defaultLimits
  const testTurns = createTestTurns()
  const post = createPost({ sealer })
  const tools = { ledger, clock, egress, sealer, keys, intake, outcomes, testTurns, limits, post }
  const groups = { webhooks: webhookOperations } as const
  const service = openGroups(groups, createKernelPorts(tools), tools).webhooks
  dispatcher.start()

  async function emit(count: number): Promise<void> {
    const ids = Array.from({ length: count }, () =>
      ledger.execute<string>('ten_1', async (unit) => {
        const [found] = await unit.read([routingOf('ten_1')])
        const id = unit.id('evt')
        const body = new TextEncoder().encode(JSON.stringify({ id }))
        const events = [{ id, type: 'review.case.created', applicationId: null, body }] as const
        const routing = one(routings, found)
        const { now } = unit
        return commit(fanOut({ routing, tenantId: 'ten_1', events, now, id: unit.id, intake }), id)
      }),
    )
    await Promise.all(ids)
  }
  const create = async () => {
    await store.commit({ tenant: 'ten_1', puts: [put(members, recordOf(admin), null)] })
    return value(await service.create(admin, { url: 'https://a.example/hook', eventTypes: ['*'] }))
  }
  return { store, clock, transport, service, dispatcher, emit, create }
}

test('the dispatcher verifies, delivers what is born leased, and answers a test', async () => {
  const { clock, service, emit, create, store, dispatcher } = running()
  const { id } = await create()
  await clock.advance(minute)
  assert.equal(value(await service.read(admin, { webhookId: id })).verification.state, 'verified')
  await emit(40)
  await clock.advance(minute)
  const rows = store.rows(deliveries).filter(({ row }) => row.kind === 'event')
  assert.deepEqual(new Set(rows.map(({ row }) => row.status)), new Set(['delivered']))
  assert.equal(rows.length, 40)
  const testing = service.test(admin, { webhookId: id })
  await clock.advance(1_000)
  const entry = value(await testing)
  assert.deepEqual([entry.trigger, entry.responseStatus], ['test', 200])
  await dispatcher.drain(0)
})

test('once a 410 has come no POST begins, however much is under a lease', async () => {
  let answers = 0
  let late = 0
  const { clock, service, emit, create, transport, dispatcher, store } = running(
    (event, exchange) => {
      if (event.challenge) return obliging(event, exchange)
      if (++answers > 5) late++
      return answered(answers === 5 ? 410 : 500)
    },
  )
  const { id } = await create()
  await clock.advance(1_000)
  await emit(100)
  await clock.advance(10_000)
  assert.equal(value(await service.read(admin, { webhookId: id })).statusReason, 'endpoint_gone')
  // Those that were under way beside it, and no other of the 100.
  assert.ok(late <= defaultDispatcherOptions.slotsPerEndpoint, `${late} POSTs after the 410`)
  const sent = transport.exchanges.length
  await emit(20)
  for (let i = 0; i < 5; i++) await clock.advance(minute)
  assert.equal(transport.exchanges.length, sent)
  assert.ok(store.rows(deliveries).every(({ row }) => row.due === null))
  assert.equal(code(await service.test(admin, { webhookId: id })), 'endpoint_gone')
  await dispatcher.drain(0)
})

test('turned on again, the challenge and the missed window come without anybody asking', async () => {
  const { clock, service, emit, create, transport, dispatcher } = running()
  const { id } = await create()
  await clock.advance(1_000)
  value(await service.turnOff(admin, { webhookId: id }))
  await emit(10)
  await clock.advance(minute)
  value(await service.turnOn(admin, { webhookId: id }))
  await clock.advance(minute)
  const types = transport.exchanges.map(
    ({ body }) => JSON.parse(new TextDecoder().decode(body)).type as string,
  )
  assert.deepEqual(types.slice(1), [
    'subscription.verification_requested',
    'subscription.events_missed',
  ])
  await dispatcher.drain(0)
})

test('a delivery whose message is gone ends without turning the webhook off', async () => {
  const { clock, emit, create, store, dispatcher, transport } = running()
  const { id } = await create()
  await emit(1)
  await clock.advance(minute)
  const [message] = store.rows(messages).filter(({ row }) => row.type === 'review.case.created')
  assert.ok(message)
  const { messageId } = message.row
  const [sent] = store.rows(deliveries).filter(({ row }) => row.messageId === messageId)
  assert.equal(sent?.row.status, 'delivered')
  const posts = transport.exchanges.length
  await store.commit({
    tenant: null,
    removes: [{ in: messages.name, key: [messageId], version: message.version }],
    puts: [
      put(
        deliveries,
        { ...sent.row, status: 'pending', due: clock.now(), attempts: 0, endedAt: null },
        sent,
      ),
    ],
  })
  await clock.advance(minute)
  const [ended] = store.rows(deliveries).filter(({ row }) => row.messageId === messageId)
  assert.equal(ended?.row.status, 'dead_lettered')
  assert.equal(transport.exchanges.length, posts)
  const [webhook] = store.rows(webhooks).filter(({ row }) => row.webhookId === id)
  assert.equal(webhook?.row.status, 'receiving')
  await dispatcher.drain(0)
})
