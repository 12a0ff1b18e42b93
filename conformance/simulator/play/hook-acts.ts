import type { WebhookView } from '@countersign/core'
import { webhooks } from '@countersign/core/internal'
import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import { type Command, type HookAct, hosts } from '../plan.ts'
import { epoch } from '../world.ts'
import type { Heard } from './client.ts'
import type { Stage } from './stage.ts'

/** A URL that nobody had before, on one of the hosts. */
export function freshUrl(stage: Stage, draw: SeededRandom, path: string): string {
  return `https://h${draw.below(hosts)}.test/${path}/${++stage.urls}`
}

function known(stage: Stage, heard: Heard<WebhookView>): WebhookView | null {
  if (heard.kind !== 'ok') return null
  const view = heard.value
  const written = stage.hooksWritten.get(view.id)
  if (written !== undefined && Date.parse(view.updatedAt) > written)
    stage.world.broken('acknowledged is kept', `${view.id} was told as changed, not committed`)
  return view
}

export async function createHook(
  stage: Stage,
  command: Extract<Command, { kind: 'hook_create' }>,
): Promise<void> {
  const { client, cast, hooks, truth, world } = stage
  const draw = seededRandom(command.draw)
  const eventTypes = command.all ? ['*'] : ['review.case.created', 'review.case.decided']
  const method = command.shared ? ('shared_secret' as const) : ('ed25519' as const)
  // Each try has a URL of its own: a create whose answer was lost has made a webhook all the same.
  const heard = await client.ask(draw, 'create webhook', (service) => {
    const url = freshUrl(stage, draw, 'hook')
    return service.webhooks.create(cast.admin, { url, eventTypes, signing: { method } })
  })
  const view = known(stage, heard)
  if (!view) return
  if (!truth.rows(webhooks).has(view.id))
    world.broken('acknowledged is kept', `${view.id} was told as created, not committed`)
  hooks.push(view.id)
}

export async function createLegacyHook(
  stage: Stage,
  command: Extract<Command, { kind: 'legacy_hook' }>,
): Promise<void> {
  const { client, cast, hooks, truth, world } = stage
  const draw = seededRandom(command.draw)
  const secret = command.secret ? { secret: `a secret of ${command.draw}` } : {}
  const heard = await client.ask(draw, 'create legacy webhook', (service) => {
    const url = freshUrl(stage, draw, 'legacy')
    return service.webhooks.create(cast.admin, { url, eventTypes: command.types, ...secret })
  })
  const view = known(stage, heard)
  if (!view) return
  if (!truth.rows(webhooks).has(view.id))
    world.broken('acknowledged is kept', `${view.id} was told as created, not committed`)
  hooks.push(view.id)
}

export async function setCallback(
  stage: Stage,
  command: Extract<Command, { kind: 'set_callback' }>,
): Promise<void> {
  const { client, cast } = stage
  const draw = seededRandom(command.draw)
  const app = cast.applications[command.app]
  if (!app) return
  const method = draw.chance(0.5) ? ('ed25519' as const) : ('shared_secret' as const)
  const url = freshUrl(stage, draw, 'callback')
  await client.ask(draw, `set callback of ${command.app}`, (service) =>
    service.applications.setOutcomeCallback(cast.admin, {
      applicationId: app.applicationId,
      url,
      enabled: command.enabled,
      signing: { method },
    }),
  )
}

export async function actOnHook(
  stage: Stage,
  command: Extract<Command, { kind: HookAct }>,
): Promise<void> {
  const { client, cast, hooks } = stage
  const draw = seededRandom(command.draw)
  const id = hooks[command.hook % Math.max(1, hooks.length)]
  if (id === undefined) return
  const { admin } = cast
  const label = `${command.kind} ${id}`
  const hook = (call: Parameters<typeof client.ask<WebhookView>>[2]) =>
    client.ask(draw, label, call).then((heard) => known(stage, heard))
  switch (command.kind) {
    case 'hook_off':
      await hook((service) => service.webhooks.turnOff(admin, { webhookId: id }))
      return
    case 'hook_on':
      await hook((service) => service.webhooks.turnOn(admin, { webhookId: id }))
      return
    case 'hook_url': {
      const url = freshUrl(stage, draw, 'hook')
      await hook((service) => service.webhooks.update(admin, { webhookId: id, url }))
      return
    }
    case 'hook_types': {
      const eventTypes = draw.chance(0.5)
        ? ['*']
        : ['review.case.decided', 'review.case.expired', 'review.case.assignment_changed']
      await hook((service) => service.webhooks.update(admin, { webhookId: id, eventTypes }))
      return
    }
    case 'hook_method': {
      const method = draw.chance(0.5) ? ('ed25519' as const) : ('shared_secret' as const)
      await hook((service) =>
        service.webhooks.update(admin, { webhookId: id, signing: { method } }),
      )
      return
    }
    case 'hook_rotate': {
      const force = draw.chance(0.3)
      await hook((service) => service.webhooks.rotateSecret(admin, { webhookId: id, force }))
      return
    }
    case 'hook_verify':
      await hook((service) => service.webhooks.requestVerification(admin, { webhookId: id }))
      return
    case 'hook_test':
      await client.ask(draw, label, (service) => service.webhooks.test(admin, { webhookId: id }))
      return
    case 'hook_remove':
      if (draw.chance(0.3))
        await client.ask(draw, label, (service) =>
          service.webhooks.remove(admin, { webhookId: id }),
        )
      return
    case 'hook_replay': {
      const read = await client.ask(draw, `list events of ${id}`, (service) =>
        service.reviewEvents.list(admin, { subscriptionId: id, page: 1, pageSize: 20 }),
      )
      if (read.kind !== 'ok' || read.value.events.length === 0) return
      const event = read.value.events[draw.below(read.value.events.length)]
      const eventId = String(event?.event.id)
      await client.ask(draw, label, (service) =>
        service.webhooks.replay(admin, { webhookId: id, eventId }),
      )
      return
    }
    case 'hook_recover': {
      const until = epoch + command.at + 1
      const from = until - 1 - draw.below(stage.world.plan.span)
      await client.ask(draw, label, (service) =>
        service.webhooks.recover(admin, { webhookId: id, from, until }),
      )
      return
    }
    case 'keys_rotate':
      await client.ask(draw, label, (service) =>
        service.signingKeys.rotate(admin, { use: 'webhooks' }),
      )
      return
    case 'hook_read':
      await client.ask(draw, label, (service) => service.webhooks.list(admin, {}))
      await client.ask(draw, label, (service) =>
        service.webhooks.deliveryLogs(admin, {
          webhookId: id,
          page: 1,
          pageSize: draw.chance(0.5) ? 100 : 5,
        }),
      )
  }
}
