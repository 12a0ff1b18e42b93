import { auditedUrl, checkEndpointUrl } from '../kernel/ledger/endpoint-url.ts'
import { refuseErrors } from '../kernel/ledger/input-errors.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { ok } from '../kernel/ledger/refusal.ts'
import { listOf, object } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import { pageIfAny, pageOfWhole, place } from '../kernel/page.ts'
import { rowUnder } from '../kernel/query.ts'
import { flag, just, text } from '../kernel/shape.ts'
import { optional, optionalEach, usual } from '../kernel/wrap.ts'
import { changePuts } from './change-set.ts'
import { newChallenge } from './delivery/challenge.ts'
import { upkeepPut } from './delivery/upkeep.ts'
import { inspectionOperations } from './inspection/operations.ts'
import {
  type Change,
  existing,
  load,
  ringShown,
  timesOf,
  type WebhookRows,
} from './load-webhook.ts'
import type { Command, Decided } from './machine/command.ts'
import { decide, newWebhook } from './machine/machine.ts'
import { webhookView } from './present-webhook.ts'
import {
  routings,
  shownWebhook,
  signingMembers,
  type Webhook,
  type WebhookView,
  webhookDefinition,
  webhookShape,
  webhooks,
} from './records.ts'
import { replayDelivery } from './replay-deliveries.ts'
import { rerouted } from './routing/reroute.ts'
import { rotatedSecret, updatedSecret } from './secrets/choose-secret.ts'
import { signingFaults, signingOf } from './secrets/given-secret.ts'
import { makeSecret, sealSecret } from './secrets/secrets.ts'
import { testWebhook } from './send-test.ts'
import type { WebhookTools } from './tools.ts'

const { command, reading } = operationsWith<WebhookTools>()

const id = { webhookId: shownWebhook.id }

/** The webhooks of an organization: all of them unless a page is asked for. */
export const listWebhooks = reading({
  name: 'webhooks.list',
  doc: 'List webhooks',
  right: 'readWebhooks',
  takes: pageIfAny,
  gives: object({ webhooks: listOf(webhookShape), ...place }, 'Webhooks'),
  refuses: [],
  async run({ ask, by: { tenantId }, tools: { clock } }, asked) {
    const { found, ring } = await ask({
      found: webhooks.by('byTenant', { tenantId }),
      ring: ringShown(tenantId),
    })
    const page = pageOfWhole(found.rows, asked)
    return {
      webhooks: page.items.map(({ row }) => webhookView(row, ring?.row ?? null, clock.now())),
      ...page.place,
    }
  },
})

/** One webhook. */
export const readWebhook = reading({
  name: 'webhooks.read',
  doc: 'Read a webhook',
  right: 'readWebhooks',
  takes: id,
  gives: webhookShape,
  refuses: ['not_found'],
  async run({ ask, by, tools: { clock } }, { webhookId }) {
    const { webhook, ring } = await ask({
      webhook: existing(webhookId),
      ring: ringShown(by.tenantId),
    })
    return webhookView(webhook.row, ring?.row ?? null, clock.now())
  },
})

/** Creates a webhook, which receives immediately, and owes it a verification; up to the organization's limit. */
export const createWebhook = command({
  name: 'webhooks.create',
  doc: 'Create a webhook and show its secret once',
  right: 'manageWebhooks',
  takes: { ...webhookDefinition, ...signingMembers },
  also: signingFaults,
  gives: webhookShape,
  refuses: ['invalid_url', 'refused_address', 'webhook_limit'],
  async prepare({ tools: { egress }, orRefuse }, { url }) {
    return orRefuse(await checkEndpointUrl(url, egress))
  },
  async run(unit, { url, eventTypes, description, ...given }) {
    const { now, random, tools } = unit
    const { tenantId } = unit.by
    const { routing } = await unit.ask({
      routing: rowUnder(routings, [tenantId]),
      ring: ringShown(tenantId),
    })
    const count = routing?.row.routes.length ?? 0
    const { webhooksPerTenant } = tools.limits
    if (count >= webhooksPerTenant)
      unit.refuse(
        'webhook_limit',
        `the organization has ${count} webhooks, expected fewer than ${webhooksPerTenant}`,
      )
    const { method = 'ed25519', secret } = signingOf(given)
    const owner = { tenantId, webhookId: unit.id('wh') }
    const made = method === 'shared_secret' ? makeSecret(random) : null
    const shown = secret?.text ?? made
    const decided = newWebhook(
      {
        ...{ ...owner, url, eventTypes, description, method },
        secret: shown === null ? null : sealSecret(tools.sealer, owner, 1, shown),
      },
      newChallenge(unit),
      now,
    )
    const seen = { webhook: null, routing, times: timesOf(routing, now) }
    return save(unit, 'created', seen, decided, shown ?? undefined)
  },
})

/**
 * Changes what is given; absent members keep their value. A new URL or method owes a verification, a new secret starts a rotation.
 * Refuses with `invalid_transition` where the webhook's method or secret excludes the change.
 */
export const updateWebhook = command({
  name: 'webhooks.update',
  doc: 'Change a webhook; absent members keep',
  right: 'manageWebhooks',
  takes: { ...id, ...optionalEach(webhookDefinition), ...signingMembers },
  gives: webhookShape,
  refuses: [
    'not_found',
    'invalid_request',
    'invalid_url',
    'refused_address',
    'already_rotating',
    'endpoint_gone',
    'invalid_transition',
  ],
  async prepare({ ask, orRefuse, tools: { egress } }, { webhookId, url, ...given }) {
    await ask({ webhook: existing(webhookId) })
    orRefuse(refuseErrors(signingFaults(given)) ?? ok(null))
    if (url !== undefined) orRefuse(await checkEndpointUrl(url, egress))
  },
  async run(unit, { webhookId, url, eventTypes, description, ...given }) {
    const signing = signingOf(given)
    return change(unit, webhookId, 'updated', (webhook) => {
      const makers = { sealer: unit.tools.sealer, random: unit.random }
      const { secret, text: shown } = unit.orRefuse(updatedSecret(webhook, signing, makers))
      const { method } = signing
      const challenge = newChallenge(unit)
      const members = { url, eventTypes, description, method, secret, challenge }
      return { command: { kind: 'update', ...members }, shown }
    })
  },
})

/** Removes a webhook; what it was still owed is not sent. */
export const removeWebhook = command({
  name: 'webhooks.remove',
  doc: 'Remove a webhook',
  right: 'manageWebhooks',
  takes: id,
  gives: object({ id: shownWebhook.id, deleted: just(true) }, 'RemovedWebhook'),
  refuses: ['not_found'],
  async run(unit, { webhookId }) {
    const { webhook, routing, times } = await load(unit, webhookId)
    unit.remove(webhooks, webhook)
    const puts = [
      rerouted(routing, { before: webhook.row, after: null }, times),
      await upkeepPut(unit, webhook.row, null),
    ]
    unit.include({ puts: puts.filter((each) => each !== null) })
    unit.audit('webhook.removed', webhookId, {})
    return { id: webhookId, deleted: true as const }
  },
})

/** Owes the webhook another verification. */
export const requestVerification = command({
  name: 'webhooks.requestVerification',
  doc: 'Send a new challenge',
  right: 'manageWebhooks',
  takes: id,
  gives: webhookShape,
  refuses: ['not_found', 'endpoint_gone'],
  run: async (unit, { webhookId }) =>
    change(unit, webhookId, 'verification_requested', () => ({
      command: { kind: 'request_verification', challenge: newChallenge(unit) },
    })),
})

/**
 * Replaces the secret; the previous one signs beside it for 24 h. `force` drops an earlier one that still signs.
 * Refuses with `invalid_transition` for the current secret or one that the webhook's method can't sign with.
 */
export const rotateSecret = command({
  name: 'webhooks.rotateSecret',
  doc: 'Rotate the secret and show it once',
  right: 'manageWebhooks',
  takes: { ...id, secret: optional(text(longest.secret)), force: usual(flag, false) },
  gives: webhookShape,
  refuses: ['not_found', 'not_shared_secret', 'already_rotating', 'invalid_transition'],
  run: async (unit, { webhookId, secret: given, force }) =>
    change(unit, webhookId, 'secret_rotated', (webhook) => {
      const makers = { sealer: unit.tools.sealer, random: unit.random }
      const { secret, text: shown } = unit.orRefuse(rotatedSecret(webhook, given, makers))
      return { command: { kind: 'rotate_secret', secret, force }, shown }
    }),
})

/** Turns a webhook on and owes a verification; one that is on stays as it is. */
export const turnOn = command({
  name: 'webhooks.turnOn',
  doc: 'Turn a webhook on',
  right: 'manageWebhooks',
  takes: id,
  gives: webhookShape,
  refuses: ['not_found', 'endpoint_gone'],
  run: async (unit, { webhookId }) =>
    change(unit, webhookId, 'turned_on', () => ({
      command: { kind: 'turn_on', challenge: newChallenge(unit) },
    })),
})

/** Turns a webhook off, which opens a missed window; one that is off stays as it is. */
export const turnOff = command({
  name: 'webhooks.turnOff',
  doc: 'Turn a webhook off',
  right: 'manageWebhooks',
  takes: id,
  gives: webhookShape,
  refuses: ['not_found'],
  run: async (unit, { webhookId }) =>
    change(unit, webhookId, 'turned_off', () => ({ command: { kind: 'turn_off' } })),
})

/** Webhooks and what is sent to them (interface, Portal host). */
export const webhookOperations = [
  listWebhooks,
  createWebhook,
  readWebhook,
  updateWebhook,
  removeWebhook,
  testWebhook,
  requestVerification,
  rotateSecret,
  turnOn,
  turnOff,
  ...inspectionOperations,
  replayDelivery,
] as const

/** A command of the machine, and the secret that its answer shows. */
interface Built {
  readonly command: Command
  readonly shown?: string | undefined
}

async function change(
  unit: Change,
  webhookId: string,
  act: string,
  build: (webhook: Webhook) => Built,
): Promise<WebhookView> {
  const seen = await load(unit, webhookId)
  const { command, shown } = build(seen.webhook.row)
  const decided = unit.orRefuse(decide(seen.webhook.row, command, seen.times))
  return save(unit, act, seen, decided, shown)
}

async function save(
  unit: Change,
  act: string,
  seen: WebhookRows,
  decided: Decided,
  shown?: string,
): Promise<WebhookView> {
  const { webhook } = decided
  const { tenantId, webhookId, url, method, eventTypes } = webhook
  const { keys, intake } = unit.tools
  const { ring } = await unit.ask({ ring: ringShown(tenantId) })
  const first = !ring && method === 'ed25519' ? keys.first(unit, tenantId) : null
  const view = webhookView(webhook, first?.ring ?? ring?.row ?? null, unit.now, shown)
  if (webhook === seen.webhook?.row) return view
  const puts = await changePuts(unit, intake, seen, decided)
  unit.include({ puts: first ? [first.put, ...puts] : puts })
  const detail = { ...auditedUrl(url), method, eventTypes: eventTypes.join(', ') }
  unit.audit(`webhook.${act}`, webhookId, detail)
  return view
}
