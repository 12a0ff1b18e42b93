import { createSlices } from '../../base/json/in-slices.ts'
import type { NormalSpan, RejectionReason } from '../../content/span.ts'
import {
  type SessionAlias,
  sessionAliases,
  type Trace,
  traces,
} from '../../content/trace-records.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import { authorizeCustomerKey } from '../../kernel/callers/authorize.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { IngestDeps } from '../deps.ts'
import { quotaExceeded } from '../quota.ts'
import type { IngestStreams } from '../use-cases.ts'
import { type IncomingStep, incomingSpan } from './incoming.ts'
import { createOpenings } from './openings.ts'
import { planSteps } from './plan-steps.ts'

/** Steps of one unit of work at most, and about how many characters of content. */
const unitSteps = 512
const unitChars = 1_048_576
/** Sessions of one export that are processed concurrently. */
const atOnce = 8
/** Most rounds of placing steps: a concurrent export may name their trace between two of them. */
const mostPlacings = 4
/** Reads of one round trip. */
const readPiece = 1_000

/** Takes an export: each session in units of work of its own, so that one that fails leaves the others. */
export function createAcceptSpans(deps: IngestDeps): IngestStreams['acceptSpans'] {
  return async (actor, { spans, rejected }) => {
    const allowed = authorizeCustomerKey(actor, 'sendSessions')
    if (!allowed.ok) return allowed
    const key = allowed.value
    const pseudonyms = await deps.vault.pseudonyms(key.tenantId)
    const siblings = namedTraces(spans)
    const counts: Partial<Record<RejectionReason, number>> = { ...rejected }
    let accepted = 0
    const named = { subjectOf: remembered(pseudonyms.subjectOf) }
    let waiting: IncomingStep[] = []
    const slices = createSlices()
    const openings = createOpenings()
    for (const span of spans) {
      const sessionId = span.sessionId ?? siblings.get(span.traceId) ?? null
      const step = incomingSpan(span, sessionId, named)
      waiting.push(step)
      if (slices.spend(step.size)) await deps.pause()
    }
    for (let placing = 0; waiting.length > 0; placing++) {
      if (placing === mostPlacings) return tooContended()
      const moved: IncomingStep[] = []
      const groups = await place(deps, key, waiting)
      const done = await each([...groups], async ([sessionId, steps]) => {
        for (const incoming of unitsOf(steps)) {
          await deps.pause()
          const taken = await deps.ledger.execute(key.tenantId, (unit) =>
            planSteps(deps, unit, { actor: key, sessionId, incoming, openings }),
          )
          if (!taken.ok) return taken
          accepted += taken.value.accepted
          moved.push(...taken.value.moved)
          const no = taken.value.rejected
          if (no) counts[no.reason] = (counts[no.reason] ?? 0) + no.steps
        }
        return null
      })
      if (done) return done
      waiting = moved
    }
    if (accepted === 0 && (counts.over_quota ?? 0) > 0) return quotaExceeded(deps, key.tenantId)
    return ok({ accepted, rejected: counts })
  }
}

/** A function that computes each answer once: the spans of a session name the same subject. */
function remembered<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const answer = known.get(text) ?? compute(text)
    known.set(text, answer)
    return answer
  }
}

/** Sessions by trace id, from the spans of the export that name one; the first name of a trace wins. */
function namedTraces(spans: readonly NormalSpan[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>()
  for (const { traceId, sessionId } of spans)
    if (sessionId !== null && !named.has(traceId)) named.set(traceId, sessionId)
  return named
}

/** Groups steps by session id: the span's own, else its trace's, else the trace's id; an alias is resolved. */
async function place(
  { ledger }: IngestDeps,
  { tenantId, applicationId }: CustomerKeyActor,
  steps: readonly IncomingStep[],
): Promise<ReadonlyMap<string, readonly IncomingStep[]>> {
  const nameless = new Set(
    steps.flatMap(({ trace }) => (trace && trace.sessionId === null ? trace.traceId : [])),
  )
  const known = await readAll([...nameless], async (ids) => {
    const reads = ids.map((id) => get(traces, [tenantId, applicationId, id]))
    const found = await ledger.read(tenantId, reads)
    return found.map((each) => one<Trace>(traces, each)?.row.sessionId ?? null)
  })
  const wanted = steps.map(
    ({ trace }) => trace?.sessionId ?? known.get(trace?.traceId ?? '') ?? trace?.traceId ?? '',
  )
  const aliases = await readAll([...new Set(wanted)], async (ids) => {
    const reads = ids.map((id) => get(sessionAliases, [tenantId, applicationId, id]))
    const found = await ledger.read(tenantId, reads)
    return found.map((each) => one<SessionAlias>(sessionAliases, each)?.row.sessionId ?? null)
  })
  const groups = new Map<string, IncomingStep[]>()
  for (const [at, step] of steps.entries()) {
    const id = wanted[at] as string
    const sessionId = aliases.get(id) ?? id
    const group = groups.get(sessionId)
    if (group) group.push(step)
    else groups.set(sessionId, [step])
  }
  return groups
}

async function readAll(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<ReadonlyMap<string, string | null>> {
  const found = new Map<string, string | null>()
  for (let at = 0; at < ids.length; at += readPiece) {
    const piece = ids.slice(at, at + readPiece)
    const values = await read(piece)
    for (const [index, id] of piece.entries()) found.set(id, values[index] ?? null)
  }
  return found
}

function* unitsOf(steps: readonly IncomingStep[]): Generator<readonly IncomingStep[]> {
  let unit: IncomingStep[] = []
  let chars = 0
  for (const step of steps) {
    const { size } = step
    if (unit.length > 0 && (unit.length === unitSteps || chars + size > unitChars)) {
      yield unit
      unit = []
      chars = 0
    }
    unit.push(step)
    chars += size
  }
  if (unit.length > 0) yield unit
}

/** Runs `run` on each item, a few concurrently. After the first non-null result starts no more, and returns it. */
async function each<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R | null>,
): Promise<R | null> {
  let next = 0
  let stopped: R | null = null
  const worker = async () => {
    while (next < items.length && stopped === null) {
      const item = items[next++] as T
      stopped = (await run(item)) ?? stopped
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return stopped
}

function tooContended(): Result<never> {
  return refuse('busy', 'sessions of these traces kept changing; send the export again', {
    retryAfter: 1,
  })
}
