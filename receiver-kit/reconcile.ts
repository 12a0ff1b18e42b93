import { comparePositions, isObject } from '@countersign/core/events'
import type { CasePosition, Inbox } from '@countersign/core/ports'
import { CountersignError } from '@countersign/core/signing'
import { type Message, positionOf } from './events/read-event.ts'
import { createEventScope } from './receiving/event-scope.ts'
import type { Served } from './receiving/served.ts'

/** Options of `reconcile`. */
export interface ReconcileOptions {
  readonly portalUrl: string
  readonly subscriptionId: string
  /** The session token of a member with the permission Manage Integrations (`POST /v1/auth/login`). */
  readonly token: string
  readonly inbox: Inbox
  /** The receiver's `applicationId`: events of other applications are not in its inbox, and ignored; default all. */
  readonly applicationId?: Served
  /** Ignores events before this time (ms since the epoch); default none. */
  readonly since?: number
  /** Replaces the global `fetch`, for proxies and private certificate authorities. */
  readonly fetch?: (url: string, init: ReconcileInit) => Promise<ReconcileResponse>
  /** 1 to 100; default 100. */
  readonly pageSize?: number
}

export interface ReconcileInit {
  readonly headers: Readonly<Record<string, string>>
  readonly redirect: 'error'
}
export interface ReconcileResponse {
  readonly status: number
  json(): Promise<unknown>
}

/** A difference between the service and the inbox. */
export type Difference =
  | {
      /** Not in the inbox; if `pending`, `delivering` or `retry_scheduled` it may still be delivered. */
      readonly kind: 'missing'
      readonly event: Message
      readonly deliveryStatus: string
      readonly deliveredAt: string | null
    }
  | {
      /** The service's head of the case is beyond the inbox's. */
      readonly kind: 'head_behind'
      readonly reviewCaseId: string
      readonly serviceHead: CasePosition
      readonly inboxHead: CasePosition | null
    }

/**
 * Reads `GET /v1/review-events`, newest first, and yields missing events, then cases whose heads differ. Read-only:
 * `POST /v1/webhooks/<id>/recover` sends missing events again. Events from a time when the subscription was off are
 * not listed (`subscription.events_missed` names that window). Throws a ReconcileError when the read fails.
 */
export async function* reconcile(options: ReconcileOptions): AsyncGenerator<Difference, void> {
  const { inbox, since = Number.NEGATIVE_INFINITY, applicationId } = options
  const scope = createEventScope(applicationId === undefined ? {} : { applicationId })
  const seen = new Set<string>()
  const heads = new Map<string, CasePosition>()
  for (let page = 1; ; page++) {
    const { entries, hasMore } = await readPage(options, page)
    // New entries shift others to the next page, where they appear again.
    const fresh = entries.filter(({ event }) => !seen.has(event.id))
    // One that tells no time is not known to be older.
    const wanted = fresh.filter(
      ({ event }) => !(timeOf(event) < since) && scope.foreign(event) === null,
    )
    for (const { event } of fresh) seen.add(event.id)
    for (const { event } of wanted) raise(heads, event)
    const known = await inbox.has(wanted.map(({ event }) => event.id))
    for (const [at, entry] of wanted.entries()) if (!known[at]) yield { kind: 'missing', ...entry }
    // Only when the whole page is older: commit order is not strictly time order.
    if (!hasMore || entries.every(({ event }) => timeOf(event) < since)) break
  }
  for (const [reviewCaseId, serviceHead] of heads) {
    const inboxHead = await inbox.head(reviewCaseId)
    if (inboxHead === null || comparePositions(inboxHead, serviceHead) < 0)
      yield { kind: 'head_behind', reviewCaseId, serviceHead, inboxHead }
  }
}

/** The recovery read failed. */
export class ReconcileError extends CountersignError<'recovery_read_failed'> {
  override readonly name = 'ReconcileError'
  /** HTTP status; null without an answer. */
  readonly status: number | null

  constructor(message: string, status: number | null, cause?: unknown) {
    super('recovery_read_failed', message, { cause })
    this.status = status
  }
}

interface Entry {
  readonly event: Message
  readonly deliveryStatus: string
  readonly deliveredAt: string | null
}

async function readPage(
  options: ReconcileOptions,
  page: number,
): Promise<{ readonly entries: readonly Entry[]; readonly hasMore: boolean }> {
  const { portalUrl, subscriptionId, token, pageSize = 100 } = options
  const send = options.fetch ?? fetch
  const query = `subscriptionId=${encodeURIComponent(subscriptionId)}&page=${page}&pageSize=${pageSize}`
  const url = `${portalUrl.replace(/\/+$/, '')}/v1/review-events?${query}`
  const headers = { accept: 'application/json', cookie: `service_customer_token=${token}` }
  let status: number | null = null
  let body: unknown
  try {
    // A redirect would leak the token.
    const response = await send(url, { headers, redirect: 'error' })
    status = response.status
    body = status === 200 ? await response.json() : null
  } catch (error) {
    throw new ReconcileError(`GET ${url} failed: ${String(error)}`, status, error)
  }
  if (status !== 200)
    throw new ReconcileError(`GET ${url} answered ${status}${hint(status)}`, status)
  if (!isObject(body) || !Array.isArray(body.events) || typeof body.hasMore !== 'boolean')
    throw new ReconcileError(`GET ${url}: expected {events, hasMore}`, status)
  return { entries: body.events.map((entry) => readEntry(entry, url)), hasMore: body.hasMore }
}

function hint(status: number): string {
  if (status === 401) return ': the token is missing, expired (after 24 hours) or ended'
  if (status === 403) return ': the member lacks the permission Manage Integrations'
  if (status === 404) return ': no such subscription in this organization'
  return ''
}

function readEntry(value: unknown, url: string): Entry {
  if (isObject(value) && isObject(value.event)) {
    const { event, deliveryStatus, deliveredAt } = value
    const isMessage = typeof event.id === 'string' && typeof event.type === 'string'
    if (isMessage && typeof deliveryStatus === 'string')
      return {
        event: event as Message,
        deliveryStatus,
        deliveredAt: typeof deliveredAt === 'string' ? deliveredAt : null,
      }
  }
  throw new ReconcileError(`GET ${url}: expected entries {event, deliveryStatus}`, 200)
}

function raise(heads: Map<string, CasePosition>, event: Message): void {
  const position = positionOf(event)
  if (position === null) return
  const head = heads.get(position.reviewCaseId)
  if (!head || comparePositions(position, head) > 0) heads.set(position.reviewCaseId, position)
}

/** Ms; NaN where it tells no time. */
function timeOf({ time, timestamp }: Message): number {
  const told = time ?? timestamp
  return typeof told === 'string' ? Date.parse(told) : Number.NaN
}
