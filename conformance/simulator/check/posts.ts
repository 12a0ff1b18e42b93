import { collections } from '@countersign/core'
import {
  type Delivery,
  deliveries,
  messages,
  type Webhook,
  webhooks,
} from '@countersign/core/internal'
import type { Versioned } from '@countersign/core/ports'
import {
  type LegacyKey,
  type Primitives,
  type VerifyKey,
  verify,
  verifyLegacy,
} from '@countersign/core/signing'
import { retrySchedules } from '../../retry-schedules.ts'
import { hostOf, type Post } from '../network.ts'
import { type Committed, keyText, of, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { outcomeBytes, sameBytes, textOf } from './context.ts'
import { mostAttempts, stepsOf } from './deliveries.ts'
import { createKnownKeys, type Sealed } from './known-keys.ts'

/** What a process last read of a webhook, to send by. */
interface Known {
  readonly row: Webhook
  readonly at: number
}

/** The last POST of a delivery. */
interface Last extends Pick<Delivery, 'round' | 'broughtForward'> {
  readonly at: number
}

export interface PostChecks {
  posting(post: Post): void
  /** Learns from a commit where deliveries go, what signs them, and when that changed. */
  committed(committed: Committed): void
  /** A dispatcher's read of where deliveries go. */
  read(rows: readonly Versioned[], collection: string, by: string): void
  /** Exchanges of one message to one endpoint. */
  posts(endpointId: string, messageId: string): readonly Post[]
  /** The webhook, or the application, that a URL belongs to or once did: a process may still know it as theirs. */
  endpointOf(url: string): string | null
}

const shortestWaitMs = 5_000
/** Longer than any stall between a read and the POST that it led to. */
const knowledgeMs = 200_000
/** A dispatcher gives up on an exchange that its transport forgot; it counts from before the signature. */
const reapedAfterMs = 11_950

export function checkPosts(world: World, truth: () => Truth, primitives: Primitives): PostChecks {
  const known = new Map<string, Known>()
  const byMessage = new Map<string, Post[]>()
  const open: { readonly post: Post; readonly endpoint: string; readonly tenant: string }[] = []
  const owners = new Map<string, string>()
  const keys = createKnownKeys(world, primitives)
  const changedAt = new Map<string, number>()
  /** Callbacks that were ever committed, by endpoint and message. */
  const owed = new Set<string>()
  const lastPosts = new Map<string, Last>()

  /** `each`: every one of the keys must have signed; else one of them. */
  function checkSigned(post: Post, keys: readonly VerifyKey[], each: boolean): void {
    const { headers, body, wall } = post
    const told = (detail: string) =>
      world.broken('signed now by a valid key', `${post.id} to ${post.url}: ${detail}`)
    if (keys.length === 0) {
      told('no key is valid now')
      return
    }
    if (headers['webhook-id'] !== post.id) told(`webhook-id ${headers['webhook-id']}`)
    const verdicts = (each ? keys.map((key) => [key]) : [keys]).map((some) =>
      verify({ headers, body, keys: some, now: wall }),
    )
    const refused = verdicts.flatMap((verdict) => (verdict.ok ? [] : verdict.code))
    if (refused.length === verdicts.length) told(refused[0] ?? '')
    if (!each) return
    const count = (headers['webhook-signature'] ?? '').split(' ').length
    if (count !== keys.length)
      world.broken(
        'both secrets sign',
        `${post.id}: ${count} signatures, ${keys.length} secrets are valid`,
      )
    if (refused.length > 0)
      world.broken('both secrets sign', `${post.id}: one of the secrets did not sign`)
  }

  /** The one header is of the secret that ends, and the other of the one to come (interface, Legacy signature). */
  function checkLegacySigned(post: Post, secrets: readonly LegacyKey[], what: string): void {
    const { headers, body } = post
    const [newest, ending] = secrets
    if (!newest) return
    const own = verifyLegacy({ headers, body, keys: [ending ?? newest] })
    if (!own.ok || own.next)
      world.broken('signed now by a valid key', `${what}: not by the secret that it is to be`)
    if (!ending) return
    const coming = verifyLegacy({ headers, body, keys: [newest] })
    if (!coming.ok || !coming.next)
      world.broken('both secrets sign', `${what}: one of the secrets did not sign`)
  }

  function checkHookPost(post: Post, delivery: Delivery, webhookId: string): void {
    const seen = known.get(`${post.by} ${webhookId}`)
    if (!seen) {
      world.broken('off is silent', `${post.by} posts to ${webhookId}, which it never read`)
      return
    }
    const { row } = seen
    const isEvent = delivery.kind === 'event'
    const what = `${delivery.type} ${post.id} to ${webhookId}`
    if (row.statusReason === 'endpoint_gone') world.broken('gone is silent', what)
    else if (isEvent && row.status !== 'receiving') world.broken('off is silent', what)
    // A notice outlives a turning off.
    else if (delivery.kind !== 'notice' && delivery.generation !== row.generation)
      world.broken('off is silent', `${what}: owed before it was last turned off`)
    if (row.url !== post.url) world.broken('gone is silent', `${what}: to a URL that it has left`)
    const now = truth().rows(webhooks).get(webhookId)?.row
    const since = changedAt.get(webhookId) ?? 0
    const dead =
      !now || now.statusReason === 'endpoint_gone' || (isEvent && now.status !== 'receiving')
    if (dead && world.time.now() - since > knowledgeMs)
      world.broken(
        'gone is silent',
        `${what}: ${Math.round(world.time.now() - since)} ms after it ended`,
      )
    if (post.headers['webhook-signature'] === undefined) {
      if (delivery.family !== 'legacy') {
        world.broken('signed now by a valid key', `${what}: no signature`)
        return
      }
      checkLegacySigned(post, keys.ofLegacy(row, post.wall), what)
      return
    }
    if (row.method === 'shared_secret') checkSigned(post, keys.ofWebhook(row, post.wall), true)
    else checkSigned(post, keys.ofRing(row.tenantId, post.wall), false)
  }

  function checkCallbackPost(post: Post, applicationId: string): void {
    const found = [...truth().rows(applications).values()].find(
      ({ row }) => row.applicationId === applicationId,
    )
    const callback = found?.row.outcomeCallback
    // It may have been changed since the process read it; its old secret is gone then.
    if (!found || callback?.url !== post.url) return
    const { tenantId } = found.row
    if (callback.secret)
      checkSigned(post, [keys.ofCallback(tenantId, applicationId, callback.secret)], true)
    else checkSigned(post, keys.ofRing(tenantId, post.wall), false)
  }

  /** Between two POSTs of one round lies the end of a lease or the shortest wait of a schedule, unless somebody asked. */
  function checkApart(key: string, id: string, { round, broughtForward }: Delivery): void {
    const at = world.time.now()
    const last = lastPosts.get(key)
    lastPosts.set(key, { round, broughtForward, at })
    if (last && last.broughtForward < broughtForward) return
    // A process that starts under a clock that was set forward takes leases for ended.
    const stepped = world.plan.disturbances.some(({ kind }) => kind === 'jump')
    if (!stepped && last?.round === round && at - last.at < shortestWaitMs)
      world.broken('retry schedule', `${id} is sent again after ${Math.round(at - last.at)} ms`)
  }

  function checkCaps(post: Post, endpoint: string, tenant: string): void {
    const now = world.time.now()
    for (let at = open.length - 1; at >= 0; at--) {
      const { post: other } = open[at] as (typeof open)[number]
      if (other.resultAt !== null || now - other.startedAt > reapedAfterMs) open.splice(at, 1)
    }
    open.push({ post, endpoint, tenant })
    const mine = open.filter((one) => one.post.by === post.by)
    const { slots } = world.plan
    const counts = [
      ['endpoint', mine.filter((one) => one.endpoint === endpoint).length, slots],
      ['tenant', mine.filter((one) => one.tenant === tenant).length, slots * 3],
      ['process', mine.length, slots * 4],
    ] as const
    for (const [what, count, most] of counts)
      if (count > most)
        world.broken('in-flight caps', `${count} POSTs of one ${what}, at most ${most}`)
  }

  return {
    endpointOf: (url) => owners.get(url) ?? null,
    committed(committed) {
      const { transitions } = committed
      keys.committed(committed)
      for (const { key, after } of of(webhooks, transitions)) {
        changedAt.set(key, world.time.now())
        if (after) owners.set(after.row.url, key)
      }
      for (const { before, after } of of(deliveries, transitions))
        if (!before && after?.row.kind === 'callback')
          owed.add(`${after.row.endpointId} ${after.row.messageId}`)
      for (const { after } of of(applications, transitions)) {
        const url = after?.row.outcomeCallback?.url
        if (after && url) owners.set(url, after.row.applicationId)
      }
    },
    posts: (endpointId, messageId) => byMessage.get(`${endpointId} ${messageId}`) ?? [],
    read(rows, collection, by) {
      if (collection !== webhooks.name) return
      const at = world.time.now()
      for (const found of rows) {
        const row = found.row as Webhook
        known.set(`${by} ${row.webhookId}`, { row, at })
      }
    },
    posting(post) {
      const endpoint = owners.get(post.url)
      if (endpoint === undefined) {
        world.broken(
          'own tenant only',
          `a POST to ${post.url}, which is nobody's (host ${hostOf(post.url)})`,
        )
        return
      }
      const key = `${endpoint} ${post.id}`
      const before = byMessage.get(key) ?? []
      byMessage.set(key, [...before, post])
      const delivery = truth()
        .rows(deliveries)
        .get(keyText([endpoint, post.id]))?.row
      const message = truth().rows(messages).get(post.id)?.row
      if (post.event.id !== post.id)
        world.broken('same id, same bytes', `${String(post.event.id)} is sent as ${post.id}`)
      if (!delivery || !message) {
        // A callback that was on its way when a purge ended it.
        if (owed.has(key)) return
        world.broken('a change and its events', `${post.id} is sent before it is committed`)
        return
      }
      const body = delivery.kind === 'callback' ? outcomeBytes(truth(), message) : message.body
      if (!sameBytes(post.body, body))
        world.broken(
          'same id, same bytes',
          `${post.id} is sent as ${textOf(post.body).slice(0, 60)}…`,
        )
      const rounds = before.length + 1
      if (rounds > mostAttempts(delivery.policy) * delivery.round && delivery.policy !== 'review')
        world.broken(
          'attempt budget',
          `${post.id} is sent ${rounds} times in ${delivery.round} rounds`,
        )
      if (stepsOf(delivery) > retrySchedules[delivery.policy].most)
        world.broken('attempt budget', `${post.id} is sent at step ${stepsOf(delivery)}`)
      checkApart(key, post.id, delivery)
      checkCaps(post, endpoint, delivery.tenantId)
      if (delivery.kind === 'callback') checkCallbackPost(post, endpoint)
      else checkHookPost(post, delivery, endpoint)
    },
  }
}

/** As far as the checks look at an application; its room has no export of its own. */
interface ApplicationRow {
  readonly tenantId: string
  readonly applicationId: string
  readonly outcomeCallback: {
    readonly url: string
    readonly enabled: boolean
    readonly secret: Sealed | null
  } | null
}

export const applications = collections.find(
  ({ name }) => name === 'applications',
) as unknown as import('@countersign/core/ports').Collection<
  ApplicationRow & Record<string, unknown>
>
