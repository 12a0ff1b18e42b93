import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Result, unwrap } from '@countersign/core'
import { answered, failed } from '@countersign/core/testing'
import { createWorld, type World } from '../sessions/world.ts'

const url = 'https://tool.example/hook'
const endpoints = {
  'a chat channel': async ({ service, admin }: World) => {
    const input = {
      kind: 'slack',
      webhookUrl: url,
      eventTypes: ['gdpr.legal_hold_placed'],
    } as const
    const { channelId } = unwrap(await service.notificationChannels.create(admin, input))
    return () => service.notificationChannels.test(admin, { channelId })
  },
  'a webhook': async ({ service, admin }: World) => {
    const input = { url, eventTypes: ['gdpr.legal_hold_placed'] } as const
    const { id } = unwrap(await service.webhooks.create(admin, input))
    return () => service.webhooks.test(admin, { webhookId: id })
  },
}
const wordOf = (result: Result<{ readonly outcome: string }>) =>
  result.ok ? result.value.outcome : result.refusal.code

for (const [what, create] of Object.entries(endpoints))
  describe(`tests of ${what}`, () => {
    for (const [name, afterMs, outcome] of [
      ['answers at once', 0, 'delivered'],
      ['answers after 5 s', 5_000, 'delivered'],
      ['never answers', Number.POSITIVE_INFINITY, 'failed'],
    ] as const)
      it(`that ${name} wait their turn, however many are asked for at once`, async () => {
        const world = await createWorld()
        const { service, clock, transport } = world
        service.start()
        const run = await create(world)
        await clock.advance(1_000)
        transport.follow(
          ({ deadlineMs }) =>
            new Promise((resolve) => {
              const answer = afterMs < deadlineMs ? answered(200) : failed('timeout')
              clock.after(Math.min(afterMs, deadlineMs), () => resolve(answer))
            }),
        )
        const asked = Promise.all(Array.from({ length: 30 }, run))
        for (let second = 0; second < 310; second++) await clock.advance(1_000)
        assert.deepEqual((await asked).map(wordOf), Array(30).fill(outcome))
        await service.close()
      })

    it('are refused beyond 50 that wait', async () => {
      const world = await createWorld()
      const { service, clock } = world
      service.start()
      const run = await create(world)
      await clock.advance(1_000)
      const asked = Promise.all(Array.from({ length: 51 }, run))
      await clock.advance(1_000)
      assert.deepEqual((await asked).map(wordOf), [...Array(50).fill('delivered'), 'busy'])
      assert.equal(
        wordOf(await Promise.all([run(), clock.advance(1_000)]).then(([one]) => one)),
        'delivered',
      )
      await service.close()
    })
  })
