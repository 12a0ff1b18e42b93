import { randomBytes } from 'node:crypto'
import { canonicalText } from '../canonical.ts'
import { leafOf, rootOf } from '../merkle.ts'
import { type Body, granted, type World } from './world.ts'

/** What a span is made of beside its ids and times. */
export interface SpanParts {
  readonly sessionId?: string
  readonly subject?: string
  /** Of the tool that it calls. */
  readonly tool?: string
  readonly input?: string
  /** A root has no span above it. */
  readonly root?: boolean
  readonly traceId?: string
  readonly failed?: boolean
  readonly attributes?: Readonly<Record<string, string>>
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** An id that no other run has. */
export const fresh = (what: string): string => `${what}-${hex(8)}`

/** A span of OTLP/HTTP's JSON that ended just now, and the id of its step. */
export function spanOf(
  now: number,
  parts: SpanParts,
): { readonly span: object; readonly stepId: string } {
  const { sessionId, subject, tool, input, root = true, failed = false } = parts
  const { traceId = hex(16) } = parts
  const spanId = hex(8)
  const named = {
    'session.id': sessionId,
    'user.id': subject,
    'gen_ai.tool.name': tool,
    'input.value': input,
    ...parts.attributes,
  }
  const attributes = Object.entries(named).flatMap(([key, stringValue]) =>
    stringValue === undefined ? [] : { key, value: { stringValue } },
  )
  const span = {
    traceId,
    spanId,
    ...(!root && { parentSpanId: hex(8) }),
    name: 'conformance',
    startTimeUnixNano: `${now - 1_000}000000`,
    endTimeUnixNano: `${now}000000`,
    ...(failed && { status: { code: 2, message: 'failed' } }),
    attributes,
  }
  return { span, stepId: `${traceId}-${spanId}` }
}

export const exportOf = (...spans: readonly object[]): Body => ({
  resourceSpans: [{ scopeSpans: [{ spans }] }],
})

/** Sends one span in a session of its own; `more` may name another. */
export async function sendSpan(
  world: World,
  more: SpanParts = {},
): Promise<{ readonly sessionId: string; readonly stepId: string; readonly path: string }> {
  const { sessionId = fresh('conformance'), ...parts } = more
  const { span, stepId } = spanOf(await world.clock.now(), { sessionId, ...parts })
  granted(await world.backend.post('/v1/ingest/otlp', exportOf(span)))
  return { sessionId, stepId, path: sessionPath(world, sessionId) }
}

/** The path of a session of the application; `what` is behind it. */
export function sessionPath({ target }: World, sessionId: string, what = ''): string {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}${what}`
  return `${path}?applicationId=${target.applicationId}`
}

/** A whole session to be submitted. */
export function wholeSession(now: number, more: Body = {}): Body {
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    sessionId: fresh('conformance'),
    startedAt: iso(now - 3_000),
    endedAt: iso(now - 1_000),
    status: 'completed',
    steps: [
      {
        stepId: 'step-1',
        type: 'tool',
        name: 'look up',
        startedAt: iso(now - 3_000),
        endedAt: iso(now - 2_000),
        status: 'ok',
        toolName: 'lookup',
        input: { question: 'what is owed' },
        output: { answer: 'nothing' },
      },
    ],
    ...more,
  }
}

/** A submission under the root that is computed here, from the sessions as they are sent. */
export function submissionOf(sessions: readonly Body[], batchId: string = fresh('batch')): Body {
  const merkleRoot = rootOf(sessions.map((session) => leafOf(canonicalText(session))))
  return { batchId, merkleRoot, sessions }
}

/** Submits sessions, and answers what the server said. */
export async function submit(world: World, ...sessions: readonly Body[]): Promise<Body> {
  return granted(await world.backend.post('/v1/ingest/sessions', submissionOf(sessions)))
}
