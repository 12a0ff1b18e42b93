import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, type EventType } from '@countersign/core/events'
import type { Cause } from './acts.ts'
import { organizationCauses } from './organization-causes.ts'
import { reviewCauses } from './review-causes.ts'
import { signalCauses } from './signal-causes.ts'
import { subscriptionCauses } from './subscription-causes.ts'
import { day, openReceivedWorld } from './world.ts'

const causes: { readonly [T in EventType]: Cause<T> } = {
  ...reviewCauses,
  ...subscriptionCauses,
  ...signalCauses,
  ...organizationCauses,
}

test('each event of the catalogue reaches a receiver from its own cause, saying just what that implies', async (t) => {
  const world = await openReceivedWorld()
  t.after(world.close)
  for (const type of Object.keys(catalogue) as readonly EventType[])
    await t.test(type, async () => {
      assert.ok(Object.hasOwn(causes, type), `no cause of ${type}`)
      world.forget()
      const implied = await causes[type](world)
      await world.pass(0)
      const came = world.came(type)
      assert.deepEqual(
        came.map(({ event: { id: _, ...said } }) => said),
        implied,
      )
      for (const { event } of came) assert.match(event.id, /^evt_[0-9a-z]{26}$/)
    })

  await t.test('no event is of a shape that the kit does not know, and none is refused', () => {
    assert.deepEqual(world.problems, [])
  })

  await t.test('the delivery log has every attempt of seven days', async () => {
    const from = world.clock.now() - 7 * day
    const sent = world.arrivals.filter(({ path, at }) => path === '/events' && at >= from)
    const path = `/v1/webhooks/${world.webhookId}/delivery-logs`
    const { deliveryLogs } = await world.portal('admin', 'GET', path)
    const shown = (deliveryLogs as readonly Record<string, string>[]).map(
      ({ startedAt, requestBody, responseStatus }) =>
        `${startedAt} ${JSON.parse(requestBody ?? '').id} ${responseStatus}`,
    )
    const logged = sent.map(
      ({ at, body, status }) => `${new Date(at).toISOString()} ${body.id} ${status}`,
    )
    assert.ok(sent.length > 20 && sent.length < world.arrivals.length)
    assert.deepEqual(shown.toSorted(), logged.toSorted())
  })
})
