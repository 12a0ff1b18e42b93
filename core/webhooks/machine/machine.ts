import { normalizedUrl, sameUrl } from '../../kernel/ledger/endpoint-url.ts'
import { goneUrlsPerWebhook } from '../../kernel/ledger/limits.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { withoutEnded } from '../../kernel/sealing/shared-secret.ts'
import type { MissedWindow, StatusReason, Webhook } from '../records.ts'
import type { Challenge, Command, Decided, Times } from './command.ts'
import { type Change, changed, unchanged } from './decided.ts'
import { bounded, keepWindows, received, reported } from './missed-windows.ts'
import { withSecret } from './replace-secret.ts'

// receiving ─► turned_off (owner, retries_exhausted, endpoint_gone) ─► receiving. After a 410 the way back is a new
// URL and the owner's turn_on; until then nothing at all is sent.

/** A new webhook receives immediately; its verification gates nothing. */
export function newWebhook(
  given: Pick<
    Webhook,
    'webhookId' | 'tenantId' | 'url' | 'eventTypes' | 'description' | 'method' | 'secret'
  >,
  challenge: Challenge,
  now: number,
): Decided {
  requireSecret(given)
  const webhook: Webhook = {
    ...given,
    status: 'receiving',
    statusReason: null,
    turnedOffAt: null,
    goneUrls: [],
    generation: 1,
    previousSecret: null,
    keyVersion: given.secret?.version ?? 0,
    verification: { state: 'pending', requestedAt: now, verifiedAt: null, ...challenge },
    unreported: [],
    reported: [],
    createdAt: now,
    updatedAt: now,
  }
  const notice = { type: 'subscription.verification_requested', ...challenge } as const
  return { webhook, notices: [notice], again: [] }
}

export function decide(webhook: Webhook, command: Command, times: Times): Result<Decided> {
  const { now } = times
  switch (command.kind) {
    case 'update':
      return update(withoutEnded(webhook, now), command, webhook, now)
    case 'request_verification':
      if (webhook.statusReason === 'endpoint_gone' || isGone(webhook, webhook.url)) return gone()
      return changed(webhook, verifying(webhook, command.challenge, now), now)
    case 'rotate_secret':
      return rotate(withoutEnded(webhook, now), command, now)
    case 'turn_on':
      return turnOn(webhook, command.challenge, times)
    case 'turn_off':
      if (webhook.status === 'turned_off') return unchanged(webhook)
      return changed(webhook, { webhook: turnedOff(webhook, 'owner', times) }, now)
    case 'retries_exhausted': {
      if (webhook.status === 'turned_off' || webhook.generation !== command.generation)
        return unchanged(webhook)
      const notice = { type: 'subscription.disabled', reason: 'retries_exhausted' } as const
      const after = turnedOff(webhook, 'retries_exhausted', times)
      return changed(webhook, { webhook: after, notices: [notice] }, now)
    }
    case 'endpoint_gone':
      return endpointGone(webhook, command.url, times)
    case 'challenge_answered':
      return challengeAnswered(webhook, command, now)
    case 'window_reported':
      return reported(webhook, command.messageId, now)
    case 'window_unreported':
      return keepWindows(webhook, now, (window) =>
        window.messageId === command.messageId ? [{ ...window, owedUnder: null }] : [window],
      )
    case 'received':
      return received(webhook, command.messageIds, now)
  }
}

function update(
  webhook: Webhook,
  command: Extract<Command, { kind: 'update' }>,
  before: Webhook,
  now: number,
): Result<Decided> {
  const { url = webhook.url, method = webhook.method, description = webhook.description } = command
  const eventTypes = command.eventTypes ?? webhook.eventTypes
  const secret =
    command.secret === undefined
      ? ok<Change>({ webhook })
      : withSecret(webhook, command.secret, false, now)
  if (!secret.ok) return secret
  const { notices = [] } = secret.value
  const after: Webhook = { ...secret.value.webhook, url, method, description, eventTypes }
  requireSecret(after)
  if (url === webhook.url && method === webhook.method)
    return changed(before, { webhook: after, notices }, now)
  if (isGone(webhook, url)) return gone()
  if (!sameUrl(url, webhook.url) && webhook.goneUrls.length >= goneUrlsPerWebhook)
    return refuse(
      'endpoint_gone',
      `${goneUrlsPerWebhook} URLs of this webhook answered 410, and it takes no other: make another webhook`,
    )
  const asked = verifying(after, command.challenge, now)
  return changed(
    before,
    { webhook: asked.webhook, notices: [...(asked.notices ?? []), ...notices] },
    now,
  )
}

function rotate(
  webhook: Webhook,
  command: Extract<Command, { kind: 'rotate_secret' }>,
  now: number,
): Result<Decided> {
  if (webhook.secret === null)
    return refuse('not_shared_secret', 'this webhook has no secret that could be rotated')
  const rotated = withSecret(webhook, command.secret, command.force, now)
  return rotated.ok ? changed(webhook, rotated.value, now) : rotated
}

function verifying(webhook: Webhook, challenge: Challenge, now: number): Change {
  return {
    webhook: {
      ...webhook,
      verification: { state: 'pending', requestedAt: now, verifiedAt: null, ...challenge },
    },
    notices: [{ type: 'subscription.verification_requested', ...challenge }],
  }
}

function turnOn(webhook: Webhook, challenge: Challenge, times: Times): Result<Decided> {
  if (webhook.status === 'receiving') return unchanged(webhook)
  if (isGone(webhook, webhook.url)) return gone()
  const on: Webhook = {
    ...webhook,
    status: 'receiving',
    statusReason: null,
    turnedOffAt: null,
    unreported: webhook.unreported.map((window) =>
      window.until === null ? closed(window, times) : window,
    ),
  }
  return changed(webhook, verifying(on, challenge, times.now), times.now)
}

/** Closes a window; where the clock was set back it begins at the floor, never after its end. */
function closed(window: MissedWindow, { floor, on }: Times): MissedWindow {
  return { ...window, from: Math.min(window.from, floor ?? window.from, on), until: on }
}

/** Turns the webhook off from a moment ahead; the next generation ends deliveries owed under this one. */
function turnedOff(webhook: Webhook, statusReason: StatusReason, { off }: Times): Webhook {
  const window: MissedWindow = {
    ...{ from: off, until: null, reason: statusReason },
    ...{ messageId: null, owedUnder: null },
  }
  return {
    ...webhook,
    status: 'turned_off',
    statusReason,
    turnedOffAt: off,
    generation: webhook.generation + 1,
    unreported: bounded([...webhook.unreported, window]),
  }
}

function endpointGone(webhook: Webhook, url: string, times: Times): Result<Decided> {
  const noted = isGone(webhook, url)
    ? webhook
    : { ...webhook, goneUrls: [...webhook.goneUrls, normalizedUrl(url)] }
  // A 410 of a former URL says nothing about the current one.
  if (webhook.statusReason === 'endpoint_gone' || !sameUrl(url, webhook.url))
    return changed(webhook, { webhook: noted }, times.now)
  const off: Webhook =
    noted.status === 'receiving'
      ? turnedOff(noted, 'endpoint_gone', times)
      : { ...noted, statusReason: 'endpoint_gone', generation: noted.generation + 1 }
  return changed(webhook, { webhook: off }, times.now)
}

/** Whether the URL, in whatever spelling, answered 410 for this webhook. */
export function isGone({ goneUrls }: Webhook, url: string): boolean {
  return goneUrls.length > 0 && goneUrls.includes(normalizedUrl(url))
}

function challengeAnswered(
  webhook: Webhook,
  answer: { readonly messageId: string; readonly echoed: boolean },
  now: number,
): Result<Decided> {
  const { verification } = webhook
  if (verification.messageId !== answer.messageId || verification.state === 'verified')
    return unchanged(webhook)
  const after: Webhook['verification'] = answer.echoed
    ? { ...verification, state: 'verified', verifiedAt: now }
    : { ...verification, state: 'failed' }
  return changed(webhook, { webhook: { ...webhook, verification: after } }, now)
}

function requireSecret({ method, secret }: Pick<Webhook, 'method' | 'secret'>): void {
  if (method === 'shared_secret' && secret === null)
    throw new TypeError('expected a secret for a webhook that signs with one')
}

export function gone(): Result<never, 'endpoint_gone'> {
  return refuse(
    'endpoint_gone',
    'this URL answered 410 Gone and stays refused for this webhook: give it another URL and turn it on',
  )
}
