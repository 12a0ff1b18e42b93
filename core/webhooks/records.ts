import { longest } from '../kernel/ledger/limits.ts'
import { object } from '../kernel/members.ts'
import type { SealedSecret } from '../kernel/sealing/shared-secret.ts'
import {
  flag,
  type InsOf,
  line,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  stored,
  text,
  time,
  whole,
} from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { fromOne } from '../kernel/usual.ts'
import { described, optional, orNull } from '../kernel/wrap.ts'
import type { NotificationChannel } from './channels/records.ts'
import { selection } from './selection.ts'

/** A window in which nothing was sent; `until` is null while it lasts. */
export interface MissedWindow {
  readonly from: number
  readonly until: number | null
  /** Why the webhook was turned off; of windows that became one, the latest. */
  readonly reason: StatusReason
  /** Message id of the `events_missed` that reports it; set once, when the webhook receives again. */
  readonly messageId: string | null
  /** The webhook's generation when that message was last owed; if it is not the current one, it is owed again. */
  readonly owedUnder: number | null
}

/** A window whose `events_missed` was delivered. */
export interface ReportedWindow extends Pick<MissedWindow, 'from' | 'reason'> {
  readonly until: number
  readonly reportedAt: number
}

/** The members that the owner of a webhook sets, beside how it signs. */
export const webhookDefinition = {
  /** https. */
  url: text(longest.url),
  eventTypes: selection('given'),
  description: orNull(text(longest.description, 0)),
}

/** Why a webhook is off. */
export const statusReason: Shape<'endpoint_gone' | 'retries_exhausted' | 'owner'> = oneOf([
  'endpoint_gone',
  'retries_exhausted',
  'owner',
])

const method = oneOf(['ed25519', 'shared_secret'])

/** The members by which the owner of a webhook says how it signs; absent ones keep their value. */
export const signingMembers = {
  signing: optional(
    object({
      method: optional(method),
      secret: described(
        optional(orNull(text(longest.secret))),
        'A `whsec_` secret. Alone it selects the method `shared_secret`; refused beside `ed25519`.',
      ),
    }),
  ),
  /** At the top of the body, as the contract has it. */
  secret: described(
    optional(orNull(text(longest.secret))),
    "The legacy family's secret; it leaves the method. With `shared_secret` one secret signs both families.",
  ),
}

const verification = {
  state: oneOf(['pending', 'verified', 'failed']),
  requestedAt: time,
  verifiedAt: orNull(time),
}
const count = whole(0, Number.MAX_SAFE_INTEGER)
const key = line(longest.detail)

/** The members that readers of a webhook see. */
export const shownWebhook = {
  id: line(longest.id),
  ...webhookDefinition,
  status: oneOf(['receiving', 'turned_off']),
  statusReason: orNull(statusReason),
  turnedOffAt: orNull(time),
  signing: object({
    method,
    keyVersion: count,
    /** `whpk_…` of the tenant's signing key; null for a shared secret. */
    publicKey: orNull(key),
    /** The tenant's coming key and when it begins to sign; null outside a rotation and for a shared secret. */
    nextPublicKey: orNull(key),
    nextSignsFrom: orNull(time),
    hasSecret: flag,
    previousSecretValidUntil: orNull(time),
    /** Present only in the answer that created or rotated it. */
    secret: optional(text(longest.secret)),
  }),
  verification: object(verification),
  createdAt: time,
  updatedAt: time,
}
const { id, signing: _, ...kept } = shownWebhook

/** Webhooks; secrets are sealed. */
export const webhooks = table({
  name: 'webhooks',
  members: {
    webhookId: id,
    tenantId: line(longest.id),
    ...kept,
    /** Normalized URLs that answered 410, refused for good; with `goneUrlsPerWebhook` of them no new URL is taken. */
    goneUrls: stored<readonly string[]>(),
    /** Rises with each turn-off: what was owed under an earlier one is no longer sent. */
    generation: fromOne,
    method,
    secret: stored<SealedSecret | null>(),
    previousSecret: stored<SealedSecret | null>(),
    keyVersion: count,
    /** `messageId`: the message that carries the challenge. */
    verification: object({ ...verification, challenge: line(longest.detail), messageId: id }),
    /** Windows of which no events_missed was delivered yet, oldest first. */
    unreported: stored<readonly MissedWindow[]>(),
    /** The last `reportedWindowsPerWebhook` that were reported, oldest first. */
    reported: stored<readonly ReportedWindow[]>(),
  },
  key: ['webhookId'],
  indexes: { byTenant: ['tenantId', 'webhookId'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'so many per tenant' },
})

/** A webhook as it is stored. */
export interface Webhook extends RowsOf<typeof webhooks.members> {}
/** Why a webhook is off; null while it receives. */
export type StatusReason = NonNullable<Webhook['statusReason']>
/** A webhook to create. A shared secret that is not given is made. */
export interface CreateWebhook extends InsOf<typeof webhookDefinition & typeof signingMembers> {}
/** A webhook as it is returned. */
export interface WebhookView extends OutsOf<typeof shownWebhook> {}

/** The answer that is one webhook. */
export const webhookShape: Shape<
  RowsOf<typeof shownWebhook>,
  InsOf<typeof shownWebhook>,
  WebhookView
> = object(shownWebhook, 'Webhook')

/** What fan-out must know of one webhook. */
export interface Route extends Pick<Webhook, 'webhookId' | 'generation' | 'eventTypes'> {
  readonly receiving: boolean
}

/** What fan-out must know of one chat channel. */
export interface ChannelRoute
  extends Pick<NotificationChannel, 'channelId' | 'kind' | 'generation' | 'eventTypes'> {}

/**
 * One row per tenant, written with every change of its webhooks and checked by every commit that owes events, so that
 * the order of commits puts each event before or after a turn-off.
 */
export const routings = table({
  name: 'routings',
  members: {
    tenantId: line(longest.id),
    routes: stored<readonly Route[]>(),
    /** Chat channels that receive. */
    channels: stored<readonly ChannelRoute[]>(),
    /** Least time of events committed under this row, as far as the clock allows; turn-offs and turn-ons raise it. */
    changedAt: time,
    /** While a webhook is off: later than every event committed so far, so that a missed window can end here. */
    horizon: time,
    /** While a webhook is off after the clock was set back: least time of a missed event; windows begin here. */
    floor: orNull(time),
    /** Upper bound of the turn-off and turn-on times in this row and its webhooks, even those of a fast clock. */
    latestMark: time,
  },
  key: ['tenantId'],
  indexes: { byLatestMark: ['latestMark', 'tenantId'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
})

/** What fan-out must know of the webhooks and channels of a tenant. */
export interface Routing extends RowsOf<typeof routings.members> {}
