import type { FieldError } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type * as z from 'zod'
import { encodedStatus, isProtobuf, protobufType } from './otlp-media.ts'
import { pointerOf } from './pointer.ts'
import { type HostRefusal, type Refused, refuse } from './refusal.ts'
import { rpcCodeOf, statusOf, titleOf } from './status.ts'

/** Errors told at once: an answer must not grow with what is wrong in its request. */
export const mostErrors = 20
/** UTF-16 units of a caller's text within a sentence. */
const longestQuote = 64

/** Answers with the one error body of the service; on the route of OTLP as google.rpc.Status, in the request's encoding. */
export function sendRefusal(ctx: Context, refusal: HostRefusal): void {
  const status = statusOf[refusal.code]
  ctx.status = status
  if (refusal.retryAfter !== undefined) {
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(refusal.retryAfter))))
  }
  const errors = refusal.errors?.slice(0, mostErrors) ?? [fieldError(refusal.code, refusal.detail)]
  // OpenTelemetry's exporters read it.
  const code = ctx.state.errorForm === 'rpc' ? (rpcCodeOf[status] ?? 2) : null
  if (code !== null && isProtobuf(ctx)) {
    const { code: reason, detail: message } = refusal
    ctx.type = protobufType
    ctx.body = Buffer.from(encodedStatus({ code, message, reason, errors }))
    return
  }
  ctx.body = {
    type: `urn:countersign:error:${refusal.code}`,
    title: titleOf(refusal.code),
    status,
    code: refusal.code,
    detail: refusal.detail,
    requestId: ctx.state.requestId,
    errors,
    ...refusal.facts,
    ...(code !== null && { code, message: refusal.detail }),
  }
}

function fieldError(code: string, detail: string): FieldError {
  return { code, detail, pointer: null, parameter: null }
}

/** What a schema found wrong with an input, each with its JSON pointer or its parameter's name; the first 20. */
export function refuseIssues(
  issues: readonly z.core.$ZodIssue[],
  place: 'body' | 'query',
  input: unknown,
): Refused {
  const errors: FieldError[] = []
  for (const issue of issues) {
    const room = mostErrors - errors.length
    if (room === 0) break
    errors.push(
      ...(issue.code === 'unrecognized_keys'
        ? issue.keys
            .slice(0, room)
            .map((key) =>
              located(
                'unknown_member',
                `${JSON.stringify(shortened(key))} is not expected`,
                [...issue.path, key],
                place,
              ),
            )
        : [located(...faultOf(issue, input), issue.path, place)]),
    )
  }
  const first = errors[0]
  const where = shortened(first?.pointer ?? first?.parameter ?? '')
  return refuse('invalid_request', `${where ? `${where}: ` : ''}${first?.detail ?? 'malformed'}`, {
    errors,
  })
}

/** The start of what a caller sent, for a sentence about it. */
function shortened(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}…`
}

function faultOf(issue: z.core.$ZodIssue, input: unknown): [code: string, detail: string] {
  if (issue.path.length > 0 && valueAt(input, issue.path) === undefined)
    return ['required', 'expected a value, got none']
  // A rule of our own is to the caller like one of the library's.
  return [issue.code === 'custom' ? 'invalid_value' : issue.code, issue.message]
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  )
}

function located(
  code: string,
  detail: string,
  path: readonly PropertyKey[],
  place: 'body' | 'query',
): FieldError {
  if (place === 'query')
    return { code, detail, pointer: null, parameter: path.map(String).join('.') }
  return { code, detail, pointer: pointerOf(path), parameter: null }
}
