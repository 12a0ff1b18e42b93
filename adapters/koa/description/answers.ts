import { envelopes, reasonGroups, reviewTiers } from '@countersign/core/events'
import { refusalCodes } from '@countersign/core/ledger'
import * as z from 'zod'
import { hostCodes } from '../refusal.ts'
import { anything, count, cursor, hash, paging, position, time, trigger } from './answer-parts.ts'

// What operations answer with, as zod schemas without transforms; `pins.ts` holds them to the core's views.
// Nothing parses an answer while the service runs: tests do, and the API's description is made of them.

export const caseAnswer = z.strictObject({
  schemaVersion: z.literal(1),
  reviewCaseId: z.string(),
  tenantId: z.string(),
  applicationId: z.string(),
  sessionId: z.string(),
  stepId: z.string().nullable(),
  caseVersion: position,
  eventSequence: position,
  decision: z.literal(envelopes.review.decision),
  reviewTier: z.enum(reviewTiers),
  dueAt: time,
  expiresAt: time,
  reasonCategory: z.enum([...reasonGroups.why, ...reasonGroups.else]),
  cancellationReason: z.enum(reasonGroups.cancellation).nullable(),
  presentationDigest: z.string().nullable(),
  caseUrl: z.string(),
  state: z.enum(['open', 'decided', 'cancelled', 'expired']),
  assignment: z.strictObject({ reviewerId: z.string(), assignedAt: time }).nullable(),
  overdueAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
  closedAt: time.nullable(),
  decidedBy: z.string().nullable(),
  reviewerComment: z.string().nullable(),
  response: z.unknown(),
  followUps: z.array(
    z.strictObject({
      question: z.string(),
      askedAt: time,
      answer: z.string().nullable(),
      answeredAt: time.nullable(),
    }),
  ),
  policyResults: z.array(z.unknown()),
  checkpoint: z.strictObject({
    checkpointId: z.string(),
    resumeToken: z.string().nullable().exactOptional(),
  }),
  requestedBy: z.string().nullable(),
  adopted: z.boolean(),
  presentation: anything.nullable(),
  callback: z.strictObject({
    state: z.enum(['none', 'pending', 'received', 'failed']),
    attempts: count,
    lastAttemptAt: time.nullable(),
  }),
  continuation: z
    .strictObject({
      outcome: z.enum(reasonGroups.continuation),
      reportedAt: time,
      detail: z.string().nullable(),
    })
    .nullable(),
  history: z.array(
    z.strictObject({
      eventSequence: position,
      caseVersion: position,
      step: z.string(),
      at: time,
      actor: z.string(),
    }),
  ),
})

/** The case, or its callback alone for members who may not read it. */
export const replayedAnswer = z.union([
  caseAnswer,
  z.strictObject({ reviewCaseId: z.string(), callback: caseAnswer.shape.callback }),
])

export const caseRowAnswer = caseAnswer.extend({
  presentation: anything.nullable().exactOptional(),
})

export const casesAnswer = z.union([
  z.strictObject({ reviewCases: z.array(caseRowAnswer), ...paging }),
  z.strictObject({ rows: z.array(caseRowAnswer), ...cursor }),
])

/** An attempt to send a case's outcome callback; no body, header or address of it. */
export const callbackAttemptAnswer = z.strictObject({
  attemptId: z.string(),
  callbackId: z.string(),
  attempt: position,
  trigger,
  startedAt: time,
  latencyMs: z.number().min(0),
  outcome: z.enum(['delivered', 'failed']),
  error: z.string().nullable(),
  responseStatus: z.int().nullable(),
  bodySha256: hash.nullable(),
})

export const callbackAttemptsAnswer = z.union([
  z.strictObject({ attempts: z.array(callbackAttemptAnswer), ...paging }),
  z.strictObject({ rows: z.array(callbackAttemptAnswer), ...cursor }),
])

/** The one error body (interface, Errors). */
export const errorAnswer = z.strictObject({
  type: z.string().regex(/^urn:countersign:error:[a-z_]+$/),
  title: z.string(),
  status: z.int().min(400).max(599),
  code: z.enum([...refusalCodes, ...hostCodes]),
  detail: z.string(),
  requestId: z.string(),
  errors: z
    .array(
      z.strictObject({
        code: z.string(),
        detail: z.string(),
        pointer: z.string().nullable(),
        parameter: z.string().nullable(),
      }),
    )
    .min(1),
  /** The case as it is now; with `version_conflict` and `precondition_failed`. */
  case: caseAnswer.exactOptional(),
  /** With `unavailable`: false where nothing was written, null where that is not known. */
  written: z.literal([false, null]).exactOptional(),
  /** With `quota_exceeded`. */
  quota: z.strictObject({ limit: count.nullable(), used: count, periodEnd: time }).exactOptional(),
  /** With `merkle_root_mismatch`: the root as sent, and that of the sessions. */
  expected: z.string().exactOptional(),
  computed: z.string().exactOptional(),
  /** With `session_conflict`. */
  sessionId: z.string().exactOptional(),
  /** What a recovery did before it was refused. */
  results: z
    .array(
      z.strictObject({
        eventId: z.string(),
        result: z.enum(['replayed', 'already_delivered', 'in_progress']),
      }),
    )
    .exactOptional(),
})

/** On the route of OTLP, `code` and `message` are those of google.rpc.Status; `type` has the code. */
export const rpcErrorAnswer = errorAnswer.extend({
  code: z.int().min(1).max(16),
  message: z.string(),
})
