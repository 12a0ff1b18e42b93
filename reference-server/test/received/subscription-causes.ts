import assert from 'node:assert/strict'
import type { SubscriptionEventType } from '@countersign/core/events'
import { type Cause, type Implied, iso, open } from './acts.ts'
import { day, hour, minute, type ReceivedWorld, secrets } from './world.ts'

/** A notice of a webhook with what its type has beside the members of all. */
function notice<T extends SubscriptionEventType>(
  { tenantId }: ReceivedWorld,
  type: T,
  subscriptionId: string,
  { time, ...own }: { readonly time: string } & Partial<Implied<SubscriptionEventType>>,
): Implied<T> {
  const none = { challenge: null, reason: null, previousSecretValidUntil: null }
  const head = { type, schemaVersion: 1, time, tenantId, subscriptionId }
  return { ...head, ...none, missedFrom: null, missedUntil: null, ...own } as unknown as Implied<T>
}

/** A webhook that is signed by the organization's key, whose receiver learns that after the first POST. */
async function signedWebhook(world: ReceivedWorld, path: string, eventTypes: readonly string[]) {
  const body = { url: `${world.origin}${path}`, eventTypes }
  const webhook = await world.portal('admin', 'POST', '/v1/webhooks', body)
  world.receive(path, { keys: [webhook.signing.publicKey] })
  await world.pass(minute)
  return world.portal('admin', 'GET', `/v1/webhooks/${webhook.id}`)
}

/** What brings the notices of webhooks about (interface, Webhook). */
export const subscriptionCauses: { readonly [T in SubscriptionEventType]: Cause<T> } = {
  'subscription.verification_requested': async (world) => {
    const webhook = await signedWebhook(world, '/signed', ['review.case.created'])
    assert.equal(webhook.verification.state, 'verified')
    const answered = world.arrivals.find(({ path, status }) => path === '/signed' && status === 200)
    const { challenge } = JSON.parse(answered?.answer ?? '{}')
    await world.portal('admin', 'DELETE', `/v1/webhooks/${webhook.id}`)
    const told = { time: webhook.createdAt, challenge }
    return [notice(world, 'subscription.verification_requested', webhook.id, told)]
  },

  'subscription.disabled': async (world) => {
    const { id } = await signedWebhook(world, '/failing', ['review.case.created'])
    world.fail('/failing', (type) => type.startsWith('review.'))
    await open(world, await world.application())
    await world.pass(73 * hour)
    const tried = world.arrivals.filter(
      ({ path, body }) => path === '/failing' && body.type === 'review.case.created',
    )
    const first = tried[0]?.at ?? 0
    assert.deepEqual([tried.length, tried.at(-1)?.at], [10, first + 72 * hour])
    const webhook = await world.portal('admin', 'GET', `/v1/webhooks/${id}`)
    assert.deepEqual([webhook.status, webhook.statusReason], ['turned_off', 'retries_exhausted'])
    await world.portal('admin', 'DELETE', `/v1/webhooks/${id}`)
    const told = { time: iso(first + 72 * hour), reason: 'retries_exhausted' } as const
    return [notice(world, 'subscription.disabled', id, told)]
  },

  'subscription.signing_key_rotating': async (world) => {
    const { webhookId: id } = world
    const body = { secret: secrets[1] }
    const { signing } = await world.portal(
      'admin',
      'POST',
      `/v1/webhooks/${id}/rotate-secret`,
      body,
    )
    const previousSecretValidUntil = iso(world.clock.now() + day)
    assert.equal(signing.previousSecretValidUntil, previousSecretValidUntil)
    const told = { time: iso(world.clock.now()), previousSecretValidUntil }
    return [notice(world, 'subscription.signing_key_rotating', id, told)]
  },

  'subscription.events_missed': async (world) => {
    const { webhookId: id } = world
    const app = await world.application()
    const off = await world.portal('admin', 'POST', `/v1/webhooks/${id}/turn-off`, {})
    await world.pass(minute)
    const missed = await open(world, app)
    await world.pass(minute)
    const until = iso(world.clock.now())
    await world.portal('admin', 'POST', `/v1/webhooks/${id}/turn-on`, {})
    await world.pass(minute)
    assert.ok(off.turnedOffAt <= iso(missed.at) && iso(missed.at) < until)
    const { reviewCaseId } = missed
    assert.ok(!world.arrivals.some(({ body }) => body.reviewCaseId === reviewCaseId))
    const told = { time: until, missedFrom: off.turnedOffAt, missedUntil: until }
    return [notice(world, 'subscription.events_missed', id, told)]
  },
}
