import type { EventOf, EventType, ReviewEventType } from '@countersign/core/events'
import { type App, hour, ingestUrl, minute, type ReceivedWorld } from './world.ts'

/** An event without its id, which no cause implies. */
export type Implied<T extends EventType = EventType> = Omit<EventOf<T>, 'id'>

/** Brings an event about over HTTP, and tells all of its type that must have come of it, in order. */
export type Cause<T extends EventType> = (world: ReceivedWorld) => Promise<readonly Implied<T>[]>

/** ISO 8601 in UTC with milliseconds. */
export const iso = (ms: number): string => new Date(ms).toISOString()

/** A case that was opened, and when. */
export interface Opened {
  readonly app: App
  readonly reviewCaseId: string
  readonly path: string
  /** Ms. */
  readonly at: number
}

let checkpoints = 0

/** Opens a case of tier `urgent`: due after 30 minutes, expired after 4 hours (interface, Opening). */
export async function open(world: ReceivedWorld, app: App): Promise<Opened> {
  const checkpointId = `checkpoint-${++checkpoints}`
  const made = await world.ingest(app.key, 'POST', '/v1/review-cases', {
    ...{ sessionId: 'ses_1', checkpointId, idempotencyKey: checkpointId },
    ...{ reasonCategory: 'high_risk_action', reviewTier: 'urgent' },
    presentation: { action: 'pay' },
  })
  const { reviewCaseId } = made
  return { app, reviewCaseId, path: `/v1/review-cases/${reviewCaseId}`, at: world.clock.now() }
}

/** Claims a case; the record that the reviewer is answered. */
export function claim(world: ReceivedWorld, { path }: Opened) {
  return world.portal('reviewer', 'POST', `${path}/claim`, {})
}

/** Decides a case that the reviewer has claimed. */
export async function decide(world: ReceivedWorld, opened: Opened, decision = 'approved') {
  const { caseVersion, presentationDigest } = await claim(world, opened)
  const response = decision === 'response_submitted' ? { response: { text: 'as agreed' } } : {}
  const body = { caseVersion, presentationDigest, decision, ...response }
  return world.portal('reviewer', 'POST', `${opened.path}/decide`, body)
}

/** Ends a case that the application no longer asks for. */
export async function cancel(world: ReceivedWorld, { app, path }: Opened): Promise<void> {
  const body = { reasonCategory: 'end_user_cancelled' }
  await world.ingest(app.key, 'POST', `${path}/cancel`, body)
}

/** What an event of a case says beside its type; `position`: caseVersion and eventSequence; `at`: ms. */
export function reviewEvent<T extends ReviewEventType>(
  { tenantId }: ReceivedWorld,
  { app, reviewCaseId, path, at: openedAt }: Opened,
  type: T,
  said: {
    readonly at: number
    readonly position: readonly [number, number]
    readonly decision?: string
    readonly reasonCategory?: string
    readonly presentationDigest?: string
  },
): Implied<T> {
  const { at, position, decision = null, presentationDigest = null } = said
  return {
    type,
    schemaVersion: 1,
    time: iso(at),
    tenantId,
    applicationId: app.applicationId,
    sessionId: 'ses_1',
    reviewCaseId,
    caseVersion: position[0],
    eventSequence: position[1],
    decision,
    reviewTier: 'urgent',
    dueAt: iso(openedAt + 30 * minute),
    expiresAt: iso(openedAt + 4 * hour),
    reasonCategory: said.reasonCategory ?? 'high_risk_action',
    presentationDigest,
    caseUrl: `${ingestUrl}${path}`,
  } as unknown as Implied<T>
}

/** A span of a session. */
export interface SpanParts {
  readonly sessionId: string
  readonly failed?: boolean
  /** Ms before now that it began; it ends now. */
  readonly tookMs?: number
  readonly attributes?: Readonly<Record<string, string | number>>
  /** A span below the session's first one. */
  readonly below?: boolean
}

let spans = 0
const hex = (number: number, length: number) => number.toString(16).padStart(length, '0')

/** Sends spans as one export, each in a trace of its session; the ids of their steps. */
export async function send(
  world: ReceivedWorld,
  app: App,
  ...parts: readonly SpanParts[]
): Promise<readonly string[]> {
  const now = world.clock.now()
  const traces = new Map<string, string>()
  const made = parts.map(({ sessionId, failed, tookMs = 1_000, attributes = {}, below }) => {
    const traceId = traces.get(sessionId) ?? hex(++spans, 32)
    traces.set(sessionId, traceId)
    const spanId = hex(++spans, 16)
    const named = { 'session.id': sessionId, ...attributes }
    return {
      traceId,
      spanId,
      ...(below && { parentSpanId: 'f'.repeat(16) }),
      name: 'step',
      startTimeUnixNano: `${now - tookMs}000000`,
      endTimeUnixNano: `${now}000000`,
      ...(failed && { status: { code: 2 } }),
      attributes: Object.entries(named).map(([key, value]) => ({
        key,
        value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
      })),
    }
  })
  const body = { resourceSpans: [{ scopeSpans: [{ spans: made }] }] }
  await world.ingest(app.ingestKey, 'POST', '/v1/ingest/otlp', body)
  return made.map(({ traceId, spanId }) => `${traceId}-${spanId}`)
}

let sessions = 0

/** An id that no other session has. */
export const newSession = (): string => `session-${++sessions}`

/** So many sessions of one step each, completed; their ids. */
export async function complete(
  world: ReceivedWorld,
  app: App,
  count: number,
  parts: Omit<SpanParts, 'sessionId'> = {},
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, newSession)
  await send(world, app, ...ids.map((sessionId) => ({ sessionId, ...parts })))
  await world.pass(2 * minute)
  return ids
}

/** The result of a rule of the application's own that denies a step. */
export const denied = {
  'countersign.policy.rule_id': 'own-rule',
  'countersign.policy.effect': 'deny',
} as const

/** The members that a legacy event has beside its data; `at`: ms. */
export function legacy<T extends EventType>(
  { tenantId }: ReceivedWorld,
  type: T,
  { at, app }: { readonly at: number | string; readonly app: App | null },
  data: EventOf<T> extends { readonly data: infer D } ? D : never,
): Implied<T> {
  const timestamp = typeof at === 'number' ? iso(at) : at
  const applicationId = app?.applicationId ?? null
  return { type, timestamp, tenantId, applicationId, data } as unknown as Implied<T>
}

/** The members that a platform event has beside its data; `at`: ms. */
export function platform<T extends EventType>(
  { tenantId }: ReceivedWorld,
  type: T,
  { at, app }: { readonly at: number | string; readonly app: App | null },
  data: EventOf<T> extends { readonly data: infer D } ? D : never,
): Implied<T> {
  const timestamp = typeof at === 'number' ? iso(at) : at
  const application = app && { id: app.applicationId, name: app.name }
  const head = { type, timestamp, apiVersion: '2026-01-01', customerId: tenantId, application }
  return { ...head, data } as unknown as Implied<T>
}
