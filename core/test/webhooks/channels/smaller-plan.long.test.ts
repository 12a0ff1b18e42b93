import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { type PlanName, planNames } from '@countersign/core/access'
import { answered, byNewKey } from '@countersign/core/testing'
import { deliveries } from '../../../outbox/records.ts'
import { createWorld, send, span, type World } from '../../sessions/world.ts'

const minute = 60_000
const day = 24 * 60 * minute
const callback = 'https://callback.example/outcomes'
const chats = ['https://chat.example/slack', 'https://chat.example/teams'] as const
const hook = 'https://receiver.example/events'

/** An organization under the largest plan that has each kind of endpoint, and what its events are made of. */
async function organization(): Promise<World & { readonly happen: () => Promise<void> }> {
  const world = await createWorld({ pollMs: 10 * minute })
  const { service, admin, owner, clock } = world
  const { applicationId } = owner
  for (const [at, kind] of (['slack', 'teams'] as const).entries()) {
    const input = { kind, webhookUrl: chats[at] ?? '', eventTypes: ['*'] } as const
    unwrap(await service.notificationChannels.create(admin, input))
  }
  const signing = { method: 'shared_secret' } as const
  const given = { url: callback, enabled: true, signing }
  unwrap(await service.applications.setOutcomeCallback(admin, { applicationId, ...given }))
  const by = await byNewKey(service, admin, applicationId)
  unwrap(await send(world, span()))
  let count = 0
  return {
    ...world,
    /** An event of each family, and an outcome. */
    async happen() {
      count++
      const asked = { sessionId: 's', checkpointId: `c-${count}`, idempotencyKey: `k-${count}` }
      const because = { reasonCategory: 'high_risk_action', presentation: {} } as const
      const { reviewCaseId } = unwrap(await service.reviewCases.open(by, { ...asked, ...because }))
      const reason = { reasonCategory: 'end_user_cancelled' } as const
      unwrap(await service.reviewCases.cancel(by, { reviewCaseId, ...reason }))
      const hold = { dataSubjectId: `ada-${count}`, matter: 'Case 7' }
      unwrap(await service.legalHolds.place(admin, hold))
      await clock.advance(1)
    },
  }
}

async function shrink({ service, owner }: World, plan: PlanName): Promise<void> {
  const system = { kind: 'system' } as const
  unwrap(await service.tenants.setPlan(system, { tenantId: owner.tenantId, plan }))
}

/** What was sent since a look: POSTs by URL. */
function watch({ transport }: World) {
  const before = transport.exchanges.length
  return (url: string) =>
    transport.exchanges.slice(before).filter((exchange) => exchange.url === url).length
}

/** Rows that still owe something. */
const owed = (world: World) =>
  world
    .rows(deliveries)
    .filter(({ status }) => status !== 'delivered' && status !== 'dead_lettered')

const without: readonly PlanName[] = ['Builder']

for (const plan of planNames.slice(0, -1))
  describe(`what is owed when the plan becomes ${plan}`, () => {
    const isIncluded = !without.includes(plan)

    it('and all endpoints fail, is sent where the plan includes it, and nothing stays owed', async () => {
      const world = await organization()
      const { service, clock, transport, happen } = world
      service.start()
      transport.follow(() => answered(500))
      await happen()
      assert.ok(owed(world).length > 0)
      await shrink(world, plan)
      const sent = watch(world)
      await happen()
      // Three days until the webhook is turned off, and as long for the notice of it.
      await clock.advance(8 * day)
      assert.ok(sent(hook) > 0 && sent(callback) > 0)
      for (const url of chats) assert.equal(sent(url) > 0, isIncluded, url)
      assert.deepEqual(owed(world), [])
      await service.close()
    })

    it('while nothing is sent, is sent by the next start as the plan includes it', async () => {
      const world = await organization()
      const { service, clock, happen } = world
      await happen()
      await shrink(world, plan)
      await happen()
      const sent = watch(world)
      service.start()
      await clock.advance(day)
      assert.ok(sent(hook) >= 6 && sent(callback) === 2)
      for (const url of chats) assert.equal(sent(url) > 0, isIncluded, url)
      assert.deepEqual(owed(world), [])
      await service.close()
    })
  })
