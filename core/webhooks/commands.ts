import { type Actor, actorName, type MemberActor } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { ringOf } from '../keys/issuer-keys.ts'
import { base64Url } from '../keys/jwk.ts'
import { type IssuerKeyRing, issuerKeyRings } from '../keys/records.ts'
import { auditedUrl } from '../ledger/endpoint-url.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { get, one } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Versioned } from '../ports/store.ts'
import { auditOf, changePuts } from './change-set.ts'
import { checkInput } from './check-input.ts'
import { upkeepPut } from './delivery/upkeep.ts'
import type { WebhookDeps } from './deps.ts'
import {
  type LoadedWebhook,
  loadWebhook,
  notFound,
  timesOf,
  type WebhookRows,
} from './load-webhook.ts'
import type { Challenge, Command, Decided } from './machine/command.ts'
import { decide, newWebhook } from './machine/machine.ts'
import { webhookView } from './present-webhook.ts'
import { routings, type Webhook, webhooks } from './records.ts'
import { routingOf } from './routing/fan-out.ts'
import { rerouted } from './routing/reroute.ts'
import { rotatedSecret, updatedSecret } from './secrets/choose-secret.ts'
import { signingOf } from './secrets/given-secret.ts'
import { makeSecret, sealSecret } from './secrets/secrets.ts'
import type { WebhookUseCases } from './use-cases.ts'
import type { WebhookView } from './view.ts'

/** A command of the machine, and the secret that its answer shows. */
interface Built {
  readonly command: Command
  readonly secret?: string
}

type Commands = Pick<
  WebhookUseCases,
  'create' | 'update' | 'remove' | 'requestVerification' | 'rotateSecret' | 'turnOn' | 'turnOff'
>

/** What a CustomerAdmin does with webhooks: authorize, load, decide, commit. */
export function createWebhookCommands(ports: WebhookDeps): Commands {
  const { ledger, egress, sealer, keys, intake, limits } = ports

  /** Authorizes and finds the webhook before checks that run outside a unit of work. */
  async function existing(actor: Actor, webhookId: string): Promise<Result<null>> {
    const allowed = authorizeMember(actor, 'manageWebhooks')
    if (!allowed.ok) return allowed
    const [found] = await ledger.read(allowed.value.tenantId, [get(webhooks, [webhookId])])
    return one(webhooks, found) ? ok(null) : notFound()
  }

  async function committed(
    unit: UnitOfWork,
    actor: MemberActor,
    action: string,
    seen: WebhookRows & { readonly ring: Versioned<IssuerKeyRing> | null },
    decided: Decided,
    secret?: string,
  ): Promise<Plan<WebhookView>> {
    const { webhook } = decided
    const { url, method, eventTypes } = webhook
    const first =
      seen.ring === null && webhook.method === 'ed25519' ? keys.first(unit, actor.tenantId) : null
    const ring = first?.ring ?? seen.ring?.row ?? null
    const view = webhookView(webhook, ring, unit.now, secret)
    if (webhook === seen.webhook?.row) return answer(view)
    const puts = await changePuts(unit, intake, seen, decided)
    const detail = { ...auditedUrl(url), method, eventTypes: eventTypes.join(', ') }
    const act = { actor: actorName(actor), action, detail }
    return commit(
      { puts: first ? [first.put, ...puts] : puts, ...auditOf(webhook, act, unit.now) },
      view,
    )
  }

  async function change(
    actor: Actor,
    webhookId: string,
    action: string,
    build: (unit: UnitOfWork, webhook: Webhook) => Result<Built>,
  ): Promise<Result<WebhookView>> {
    return executeAs<WebhookView>(ledger, actor, 'manageWebhooks', async (unit, member) => {
      const loaded = await loadWebhook(unit, member.tenantId, webhookId)
      if (!loaded.ok) return refusal(loaded)
      const before = loaded.value.webhook.row
      const built = build(unit, before)
      if (!built.ok) return refusal(built)
      const { command, secret } = built.value
      const decided = decide(before, command, loaded.value.times)
      if (!decided.ok) return refusal(decided)
      return committed(unit, member, action, loaded.value, decided.value, secret)
    })
  }

  return {
    async create(actor, input) {
      const allowed = authorizeMember(actor, 'manageWebhooks')
      if (!allowed.ok) return allowed
      const checked = await checkInput(input, egress)
      if (!checked.ok) return checked
      const signing = signingOf(input)
      const method = signing.method ?? 'ed25519'
      return executeAs<WebhookView>(ledger, actor, 'manageWebhooks', async (unit, member) => {
        const { tenantId } = member
        const [routed, rings] = await unit.read([routingOf(tenantId), ringOf(tenantId)])
        const routing = one(routings, routed)
        const count = routing?.row.routes.length ?? 0
        if (count >= limits.webhooksPerTenant)
          return refusal(
            refuse(
              'webhook_limit',
              `the organization has ${count} webhooks, expected fewer than ${limits.webhooksPerTenant}`,
            ),
          )
        const owner = { tenantId, webhookId: unit.id('wh') }
        const made = method === 'shared_secret' ? makeSecret(unit.random) : null
        const secret = signing.secret?.text ?? made
        const decided = newWebhook(
          {
            ...owner,
            url: input.url,
            eventTypes: checked.value.eventTypes,
            description: input.description ?? null,
            method,
            secret: secret === null ? null : sealSecret(sealer, owner, 1, secret),
          },
          newChallenge(unit),
          unit.now,
        )
        const times = timesOf(routing, unit.now)
        const seen = { webhook: null, routing, times, ring: one(issuerKeyRings, rings) }
        const shown = secret ?? undefined
        return committed(unit, member, 'webhook.created', seen, decided, shown)
      })
    },

    async update(actor, webhookId, input) {
      const known = await existing(actor, webhookId)
      if (!known.ok) return known
      const checked = await checkInput(input, egress)
      if (!checked.ok) return checked
      const signing = signingOf(input)
      return change(actor, webhookId, 'webhook.updated', (unit, webhook) => {
        const chosen = updatedSecret(webhook, signing, { sealer, random: unit.random })
        if (!chosen.ok) return chosen
        const { secret, text } = chosen.value
        const command: Command = {
          kind: 'update',
          url: input.url ?? webhook.url,
          eventTypes: checked.value.eventTypes ?? webhook.eventTypes,
          description: input.description === undefined ? webhook.description : input.description,
          method: signing.method ?? webhook.method,
          ...(secret === undefined ? {} : { secret }),
          challenge: newChallenge(unit),
        }
        return ok(text === undefined ? { command } : { command, secret: text })
      })
    },

    remove: (actor, webhookId) =>
      executeAs<null>(ledger, actor, 'manageWebhooks', async (unit, member) => {
        const loaded = await loadWebhook(unit, member.tenantId, webhookId)
        if (!loaded.ok) return refusal(loaded)
        return commit(await removal(unit, actorName(member), loaded.value), null)
      }),

    requestVerification: (actor, webhookId) =>
      change(actor, webhookId, 'webhook.verification_requested', (unit) =>
        ok({ command: { kind: 'request_verification', challenge: newChallenge(unit) } }),
      ),

    async rotateSecret(actor, webhookId, { secret: given, force = false }) {
      const known = await existing(actor, webhookId)
      if (!known.ok) return known
      const checked = await checkInput(given === undefined ? {} : { secret: given }, egress)
      if (!checked.ok) return checked
      return change(actor, webhookId, 'webhook.secret_rotated', (unit, webhook) => {
        const made = rotatedSecret(webhook, given, { sealer, random: unit.random })
        if (!made.ok) return made
        const { secret, text } = made.value
        return ok({ command: { kind: 'rotate_secret', secret, force }, secret: text })
      })
    },

    turnOn: (actor, webhookId) =>
      change(actor, webhookId, 'webhook.turned_on', (unit) =>
        ok({ command: { kind: 'turn_on', challenge: newChallenge(unit) } }),
      ),

    turnOff: (actor, webhookId) =>
      change(actor, webhookId, 'webhook.turned_off', () => ok({ command: { kind: 'turn_off' } })),
  }
}

function newChallenge(unit: UnitOfWork): Challenge {
  return { messageId: unit.id('evt'), challenge: base64Url(unit.random.bytes(32)) }
}

async function removal(
  unit: UnitOfWork,
  actor: string,
  { webhook, routing, times }: LoadedWebhook,
) {
  const { row, version } = webhook
  const route = rerouted(routing, { before: row, after: null }, times)
  const upkeep = await upkeepPut(unit, row, null)
  return {
    removes: [{ in: webhooks.name, key: [row.webhookId] as const, version }],
    puts: [...(route ? [route] : []), ...(upkeep ? [upkeep] : [])],
    ...auditOf(row, { actor, action: 'webhook.removed' }, unit.now),
  }
}
