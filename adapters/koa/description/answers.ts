import {
  count,
  just,
  listOf,
  type OutOf,
  object,
  oneOf,
  optional,
  orNull,
  pattern,
  shownBy,
  text,
  time,
  whole,
} from '@countersign/core/kernel'
import { refusalCodes } from '@countersign/core/ledger'
import { caseShape } from '@countersign/core/operations'
import { hostCodes } from '../refusal.ts'

const any = text(Number.MAX_SAFE_INTEGER, 0)

/** One thing that is wrong with a request; `pins.ts` holds it to the core's `FieldError`. */
export const fieldError = {
  code: any,
  detail: any,
  pointer: orNull(any),
  parameter: orNull(any),
}

const faults = listOf(object(fieldError))

const error = {
  type: pattern(/^urn:countersign:error:[a-z_]+$/, 'a URN of an error', 200),
  title: any,
  status: whole(400, 599),
  code: oneOf([...refusalCodes, ...hostCodes]),
  detail: any,
  requestId: any,
  /** There is always one. */
  errors: shownBy(faults, (told) => told, { ...faults.json.answer, minItems: 1 }),
  /** The case as it is now; with `version_conflict` and `precondition_failed`. */
  case: optional(caseShape),
  /** With `unavailable`: false where nothing was written, null where that is not known. */
  written: optional(orNull(just(false))),
  /** With `quota_exceeded`. */
  quota: optional(object({ limit: orNull(count), used: count, periodEnd: time })),
  /** With `merkle_root_mismatch`: the root as sent, and that of the sessions. */
  expected: optional(any),
  computed: optional(any),
  /** With `signature_invalid`: the first check of the signature that failed. */
  check: optional(any),
  /** With `session_conflict`. */
  sessionId: optional(any),
  /** What a recovery did before it was refused. */
  results: optional(
    listOf(
      object({ eventId: any, result: oneOf(['replayed', 'already_delivered', 'in_progress']) }),
    ),
  ),
}

/** The one error body (interface, Errors). */
export const errorShape = object(error, 'Error')
export type ErrorBody = OutOf<typeof errorShape>

/** On the route of OTLP, `code` and `message` are those of google.rpc.Status; `type` has the code. */
export const rpcErrorShape = object({ ...error, code: whole(1, 16), message: any }, 'RpcError')
