import { refusalCodes } from '@countersign/core/ledger'
import { caseShape } from '@countersign/core/operations'
import * as z from 'zod'
import { answerSchema } from '../bind/schema.ts'
import { hostCodes } from '../refusal.ts'
import { count, time } from './answer-parts.ts'

// What operations answer with, as zod schemas without transforms; `pins.ts` holds them to the core's views.
// Nothing parses an answer while the service runs: tests do, and the API's description is made of them.

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
  case: answerSchema(caseShape).exactOptional(),
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
