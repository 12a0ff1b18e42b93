import type { WhyReason } from '../base/events/reasons.ts'
import type { ReviewTier } from '../base/events/review.ts'

/** What a step of a session is. */
export const stepTypes = [
  'llm',
  'tool',
  'retrieval',
  'agent',
  'guardrail',
  'human',
  'other',
] as const
/** One of `stepTypes`. */
export type StepType = (typeof stepTypes)[number]

/** A JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

/** A score that the application measured itself. */
export interface SpanScore {
  readonly name: string
  readonly value: number
  readonly label: string | null
}

/** What a policy of the application itself decided about a step. */
export interface SpanPolicyResult {
  readonly ruleId: string
  readonly effect: 'allow' | 'deny' | 'require_review'
  /** Null where none is given or it is no reason of the group `why`. */
  readonly reasonCategory: WhyReason | null
  readonly reviewTier: ReviewTier | null
}

/**
 * One span of an agent's run in the service's own terms, whatever convention named its attributes. Times in ms since
 * the epoch, rounded down. Texts are storable; ids are 1 to 200 characters without controls.
 */
export interface NormalSpan {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  /** Null for a root. */
  readonly parentSpanId: string | null
  /** Of the span or its resource; null where only its trace has one. */
  readonly sessionId: string | null
  /** The data subject as the application names them, never a pseudonym. */
  readonly dataSubjectId: string | null
  readonly agent: { readonly name: string; readonly version: string | null } | null
  readonly name: string
  readonly type: StepType
  readonly startedAt: number
  readonly endedAt: number
  readonly status: 'ok' | 'error'
  readonly model: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly toolName: string | null
  readonly dataCategories: readonly string[]
  /** Where the application waits for a human. */
  readonly checkpointId: string | null
  readonly resumeToken: string | null
  readonly policyResult: SpanPolicyResult | null
  readonly scores: readonly SpanScore[]
  /** Content of any size, for the rules and the encrypted payload alone; null where there is none. */
  readonly input: Json
  readonly output: Json
  /**
   * The span's other attributes by key, without those that name the subject or hold the resume token; beside them
   * what else OTLP tells, under `otel.` (interface, OTLP export). Texts are for the encrypted payload alone.
   */
  readonly attributes: { readonly [key: string]: Json }
  /** The resource's attributes, without those that name the subject; one object for all its spans. */
  readonly resource: { readonly [key: string]: Json }
  /** Whether a name was cut to its limit. */
  readonly truncated: boolean
  /** Whether its source says that it dropped attributes, events or links. */
  readonly incompleteAtSource: boolean
}

/** The step's id: that of its trace and its own. */
export function stepIdOf(span: Pick<NormalSpan, 'traceId' | 'spanId'>): string {
  return `${span.traceId}-${span.spanId}`
}

/** The id of the step above; null for a root. */
export function parentStepIdOf(span: Pick<NormalSpan, 'traceId' | 'parentSpanId'>): string | null {
  return span.parentSpanId === null ? null : `${span.traceId}-${span.parentSpanId}`
}

/** Why a span was not taken, in the words of `partialSuccess.errorMessage`. */
export const rejectionReasons = {
  bad_id: 'trace id, span id or another id malformed',
  bad_key: 'attribute key malformed',
  bad_times: 'start or end missing or reversed',
  over_limit: 'over a limit of attributes, keys, values or spans',
  over_quota: 'session over the monthly quota',
  session_full: 'session full',
  too_late: 'session closed',
} as const
/** One of `rejectionReasons`. */
export type RejectionReason = keyof typeof rejectionReasons

/** An export as it was read: the spans to take, and how many were not, by reason. */
export interface ReadExport {
  readonly spans: readonly NormalSpan[]
  readonly rejected: Readonly<Partial<Record<RejectionReason, number>>>
}

/** What an application says about its attributes (its ingest rules). */
export interface SpanRules {
  readonly sessionAttribute: string | null
  readonly subjectAttribute: string | null
  /** Whether an attribute, of the span, its events or its resource, is dropped unread. */
  readonly drops: (key: string) => boolean
}

/** The rules of an application without any. */
export const noSpanRules: SpanRules = {
  sessionAttribute: null,
  subjectAttribute: null,
  drops: () => false,
}
