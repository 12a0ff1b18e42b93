import type { Read, Where } from '../base/ports/store.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { list } from '../kernel/ledger/reads.ts'
import { listOf, object } from '../kernel/members.ts'
import { count } from '../kernel/page.ts'
import { flag, just, line, oneOf, type RowsOf, stored, time, whole } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { anyText } from '../kernel/usual.ts'
import { optional, orNull } from '../kernel/wrap.ts'
import { asItsSession, payloadStatuses, type StoredPayload } from './payload-records.ts'
import { stepTypes } from './span.ts'

const id = line(longest.id)

export const sessionOrigins = ['otlp', 'submission'] as const
/** How a session came: as spans over OTLP, or whole and final with its Merkle root. */
export type SessionOrigin = (typeof sessionOrigins)[number]
export const sessionStatuses = ['running', 'completed', 'failed'] as const
/** A session runs until it is complete; `failed` where a root step has an error. */
export type SessionStatus = (typeof sessionStatuses)[number]

/** The name and version of what acted. */
export interface Agent {
  readonly name: string
  readonly version: string | null
}

/** A score that came with the data. */
export interface StoredScore {
  readonly name: string
  readonly value: number
  readonly label: string | null
}

/** What a policy rule, of the service or of the application itself, said of a step or a session. */
export interface PolicyResult {
  readonly ruleId: string
  readonly ruleVersion: number | null
  readonly ruleName: string
  readonly effect: 'allow' | 'deny' | 'require_review'
  readonly severity: 'info' | 'warning' | 'critical'
  readonly source: 'service' | 'application'
  readonly stepId: string | null
  /** Ms. */
  readonly matchedAt: number
  readonly reviewCaseId: string | null
  /** Set where the rule matched only after the step was stored, by what its session became. */
  readonly late?: true
  /** The session's revision that the result came with; absent where it came with its step or before completion. */
  readonly revision?: number
}

/** A version of a policy rule that matches a step if its conditions on the session hold. */
export interface OpenRule {
  readonly ruleId: string
  readonly version: number
}

/** Sums over a session's steps, kept with each commit so that completion and lists read no step. */
export interface SessionTally {
  readonly steps: number
  readonly errors: number
  readonly guardrails: number
  readonly guardrailsOk: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Ingested scores within 0..1. */
  readonly scores: number
  readonly scoreSum: number
  /** Policy results by effect. */
  readonly allow: number
  readonly deny: number
  readonly requireReview: number
}

/** What lists filter by, in each of their indexes: a filter that an index does not begin with is tried in it, and no row read. */
const filtered = [
  'place',
  'applicationId',
  'status',
  'origin',
  'flagged',
  'underReview',
  'quality',
] as const

/** Sessions of applications. */
export const sessions = table({
  name: 'sessions',
  members: {
    tenantId: id,
    applicationId: id,
    /** The application's own text. */
    sessionId: id,
    /** Sorts by start, then application and id (`placeOf`). */
    place: stored<string>('text'),
    origin: oneOf(sessionOrigins),
    status: oneOf(sessionStatuses),
    startedAt: time,
    /** Latest end of a step so far. */
    endedAt: time,
    /** When its first data came, and its last. */
    receivedAt: time,
    lastReceivedAt: time,
    completedAt: orNull(time),
    /** The pseudonym of its earliest step's subject. */
    dataSubjectId: orNull(id),
    /** Start of the step that `dataSubjectId` is from. */
    subjectFrom: orNull(time),
    agent: stored<Agent | null>(),
    /** Start of the step that `agent` is from. */
    agentFrom: orNull(time),
    /** Those least as text, in that order. */
    models: listOf(anyText),
    tally: stored<SessionTally>(),
    /** A step without a parent has ended, and whether one of these has an error. */
    rootEnded: flag,
    rootFailed: flag,
    /** Of the session itself, beside those of its steps. */
    policyResults: stored<readonly PolicyResult[]>(),
    scores: stored<readonly StoredScore[]>(),
    /** Metadata, and the whole of a submission. */
    payloads: stored<readonly StoredPayload[]>(),
    payloadStatus: oneOf(payloadStatuses),
    /** Tenths of a point; null before it was computed. */
    quality: orNull(whole(0, 1000)),
    openFlags: count,
    /** Whether it has open flags, 1 or 0; as `openCases` and `underReview` kept by `withListColumns`. */
    flagged: stored<number>('int'),
    /** Its review cases that are open. */
    openCases: count,
    /** Whether it has open review cases, 1 or 0. */
    underReview: stored<number>('int'),
    /** Decision of the last session review. */
    reviewState: orNull(oneOf(['approved', 'rejected'])),
    /** From 1; raised by data after completion. */
    revision: count,
    /** The last seal; of an earlier revision while `sealDue` is set. */
    sealed: orNull(object({ batchId: id, leafIndex: count })),
    /** Since when it waits for a seal; null while it runs and once it is sealed. */
    sealDue: orNull(time),
    /** Set where one of its steps is. */
    incompleteAtSource: optional(just(true)),
    /** Set while its rows are removed for its age: no read by its id finds it, and it is not kept any more. */
    removing: optional(just(true)),
    /** Set from when an erasure destroys its keys until its content is gone: no step that comes changes its subject. */
    erasing: optional(just(true)),
  },
  key: ['tenantId', 'applicationId', 'sessionId'],
  indexes: {
    byTenant: ['tenantId', ...filtered],
    byApplication: ['applicationId', ...filtered],
    bySubject: ['tenantId', 'dataSubjectId', ...filtered],
    byStatus: ['tenantId', 'status', ...filtered],
    byOrigin: ['tenantId', 'origin', ...filtered],
    byFlagged: ['tenantId', 'flagged', ...filtered],
    byReview: ['tenantId', 'underReview', ...filtered],
    ofSubject: ['tenantId', 'dataSubjectId'],
    byCompletion: ['applicationId', 'completedAt'],
    byLastReceived: ['lastReceivedAt'],
    bySealDue: ['applicationId', 'sealDue'],
    byId: ['tenantId', 'sessionId'],
  },
  ...asItsSession,
})
/** A session of an application; times are ms. */
export interface StoredSession extends RowsOf<typeof sessions.members> {}

/** Members of a step that callers see as they are stored. */
export const stepFacts = {
  parentStepId: orNull(id),
  type: oneOf(stepTypes),
  name: anyText,
  startedAt: time,
  endedAt: time,
  status: oneOf(['ok', 'error']),
  model: orNull(anyText),
  inputTokens: orNull(count),
  outputTokens: orNull(count),
  toolName: orNull(anyText),
  /** Its own subject's pseudonym, where it named one. */
  dataSubjectId: orNull(id),
  dataCategories: listOf(anyText),
  checkpointId: orNull(id),
  /** Came after the session was complete. */
  late: flag,
  /** Content was cut to the limit. */
  truncated: flag,
  /** Places that the redaction policies changed. */
  redactions: count,
}
/** What became of a step's content. */
export const stepContent = oneOf(['readable', 'erased', 'none'])

/** Steps of sessions. */
export const steps = table({
  name: 'steps',
  members: {
    tenantId: id,
    applicationId: id,
    /** The session of a submitted step; empty for a span, which its own id identifies in the whole application. */
    scope: stored<string>('text'),
    /** Of a span `<traceId>-<spanId>`. */
    stepId: id,
    sessionId: id,
    /** Sorts by start, then id. */
    place: stored<string>('text'),
    ...stepFacts,
    policyResults: stored<readonly PolicyResult[]>(),
    /** Rules that the step is judged by again when what they read of the session changes; absent where there are none. */
    openRules: optional(stored<readonly OpenRule[]>()),
    /** Results of those that hold no more; what followed of one stays, so it comes back as it was. Absent where there are none. */
    ceasedResults: optional(stored<readonly PolicyResult[]>()),
    scores: stored<readonly StoredScore[]>(),
    payloads: stored<readonly StoredPayload[]>(),
    payloadStatus: stepContent,
    /** The subject that it names, else the vault's subject of its payloads; null where it has neither. */
    subject: stored<string | null>('text'),
    receivedAt: time,
    /** The session's revision that it came with. */
    revision: count,
    /** Set where its source said that it dropped attributes, events or links of it. */
    incompleteAtSource: optional(just(true)),
  },
  key: ['tenantId', 'applicationId', 'scope', 'stepId'],
  indexes: {
    bySession: ['tenantId', 'applicationId', 'sessionId', 'place'],
    bySubject: ['tenantId', 'subject'],
    byApplication: ['applicationId'],
  },
  ...asItsSession,
})
/** A step of a session; times are ms. */
export interface StoredStep extends RowsOf<typeof steps.members> {}

const digits = '0123456789abcdefghjkmnpqrstvwxyz'

/** Text that sorts by a time (ms, below 2^50), then by an id. */
export function placeOf(at: number, ...ids: readonly string[]): string {
  let text = ''
  let time = at
  for (let i = 0; i < 10; i++) {
    text = digits.charAt(time % 32) + text
    time = Math.floor(time / 32)
  }
  return [text, ...ids].join('.')
}

/** A session's steps in order, `take` of them behind `after` (a `place`). */
export function stepsAfter(session: SessionKey, after: string | null, take: number): Read {
  return list(steps, {
    by: 'bySession',
    where: [...ofSession(session), ...(after === null ? [] : ([['place', '>', after]] as const))],
    take,
  })
}

/** Identifies a session. */
export type SessionKey = Pick<StoredSession, 'tenantId' | 'applicationId' | 'sessionId'>

/** The condition that picks a session's rows in any collection that has its three columns. */
export function ofSession({ tenantId, applicationId, sessionId }: SessionKey): Where {
  return [
    ['tenantId', '=', tenantId],
    ['applicationId', '=', applicationId],
    ['sessionId', '=', sessionId],
  ]
}
