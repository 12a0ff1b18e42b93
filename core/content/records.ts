import type { Collection, Read, Where } from '../base/ports/store.ts'
import { list } from '../kernel/ledger/reads.ts'
import type { PayloadStatus, StoredPayload } from './payload-records.ts'
import type { StepType } from './span.ts'

/** How a session came: as spans over OTLP, or whole and final with its Merkle root. */
export type SessionOrigin = 'otlp' | 'submission'
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
  /** Set where the session's rows told only after the step was stored that the rule matches. */
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

/** A session of an application; times are ms. */
export interface StoredSession {
  readonly tenantId: string
  readonly applicationId: string
  /** The application's own text. */
  readonly sessionId: string
  /** Sorts by start, then application and id (`placeOf`). */
  readonly place: string
  readonly origin: SessionOrigin
  readonly status: SessionStatus
  readonly startedAt: number
  /** Latest end of a step so far. */
  readonly endedAt: number
  /** When its first data came, and its last. */
  readonly receivedAt: number
  readonly lastReceivedAt: number
  readonly completedAt: number | null
  /** The pseudonym of its earliest step's subject. */
  readonly dataSubjectId: string | null
  /** Start of the step that `dataSubjectId` is from. */
  readonly subjectFrom: number | null
  readonly agent: Agent | null
  /** Start of the step that `agent` is from. */
  readonly agentFrom: number | null
  /** In order of appearance. */
  readonly models: readonly string[]
  readonly tally: SessionTally
  /** A step without a parent has ended, and whether one of these has an error. */
  readonly rootEnded: boolean
  readonly rootFailed: boolean
  /** Of the session itself, beside those of its steps. */
  readonly policyResults: readonly PolicyResult[]
  readonly scores: readonly StoredScore[]
  /** Metadata, and the whole of a submission. */
  readonly payloads: readonly StoredPayload[]
  readonly payloadStatus: PayloadStatus
  /** Tenths of a point, 0 to 1000; null before it was computed. */
  readonly quality: number | null
  readonly openFlags: number
  /** Whether it has open flags, 1 or 0; as `openCases` and `underReview` kept by `withListColumns`. */
  readonly flagged: number
  /** Its review cases that are open. */
  readonly openCases: number
  /** Whether it has open review cases, 1 or 0. */
  readonly underReview: number
  /** Decision of the last session review. */
  readonly reviewState: 'approved' | 'rejected' | null
  /** From 1; raised by data after completion. */
  readonly revision: number
  /** The last seal; of an earlier revision while `sealDue` is set. */
  readonly sealed: { readonly batchId: string; readonly leafIndex: number } | null
  /** Since when it waits for a seal; null while it runs and once it is sealed. */
  readonly sealDue: number | null
  /** Set while its rows are removed for its age: no read by its id finds it, and it is not kept any more. */
  readonly removing?: true
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

export const sessions: Collection<StoredSession> = {
  name: 'sessions',
  key: ['tenantId', 'applicationId', 'sessionId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    sessionId: 'text',
    place: 'text',
    origin: 'text',
    status: 'text',
    startedAt: 'int',
    completedAt: 'int',
    lastReceivedAt: 'int',
    dataSubjectId: 'text',
    quality: 'int',
    flagged: 'int',
    underReview: 'int',
    sealDue: 'int',
  },
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
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

/** A step of a session; times are ms. */
export interface StoredStep {
  readonly tenantId: string
  readonly applicationId: string
  /** The session of a submitted step; empty for a span, which its own id identifies in the whole application. */
  readonly scope: string
  /** Of a span `<traceId>-<spanId>`. */
  readonly stepId: string
  readonly sessionId: string
  /** Sorts by start, then id. */
  readonly place: string
  readonly parentStepId: string | null
  readonly type: StepType
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number
  readonly status: 'ok' | 'error'
  readonly model: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly toolName: string | null
  /** Its own subject's pseudonym, where it named one. */
  readonly dataSubjectId: string | null
  readonly dataCategories: readonly string[]
  readonly checkpointId: string | null
  /** Came after the session was complete. */
  readonly late: boolean
  /** Content was cut to the limit. */
  readonly truncated: boolean
  /** Places that the redaction policies changed. */
  readonly redactions: number
  readonly policyResults: readonly PolicyResult[]
  /** Rules that the step is judged by again when what they read of the session changes; absent where there are none. */
  readonly openRules?: readonly OpenRule[]
  /** Results of those that hold no more; what followed of one stays, so it comes back as it was. Absent where there are none. */
  readonly ceasedResults?: readonly PolicyResult[]
  readonly scores: readonly StoredScore[]
  readonly payloads: readonly StoredPayload[]
  readonly payloadStatus: Exclude<PayloadStatus, 'partly_erased'>
  /** The subject that it names, else the vault's subject of its payloads; null where it has neither. */
  readonly subject: string | null
  readonly receivedAt: number
  /** The session's revision that it came with. */
  readonly revision: number
}

export const steps: Collection<StoredStep> = {
  name: 'steps',
  key: ['tenantId', 'applicationId', 'scope', 'stepId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    scope: 'text',
    stepId: 'text',
    sessionId: 'text',
    place: 'text',
    subject: 'text',
  },
  indexes: {
    bySession: ['tenantId', 'applicationId', 'sessionId', 'place'],
    bySubject: ['tenantId', 'subject'],
    byApplication: ['applicationId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

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
