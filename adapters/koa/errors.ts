import { type FieldError, type Refusal, refuse } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type * as z from 'zod'
import { pointerOf } from './pointer.ts'
import { statusOf, titleOf } from './status.ts'

/** Answers with the one error body of the service. */
export function sendRefusal(ctx: Context, refusal: Refusal): void {
  const status = statusOf[refusal.code]
  ctx.status = status
  if (refusal.retryAfter !== undefined) {
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(refusal.retryAfter))))
  }
  ctx.body = {
    type: `urn:countersign:error:${refusal.code}`,
    title: titleOf(refusal.code),
    status,
    code: refusal.code,
    detail: refusal.detail,
    requestId: ctx.state.requestId,
    errors: refusal.errors ?? [fieldError(refusal.code, refusal.detail)],
    ...refusal.facts,
  }
}

function fieldError(code: string, detail: string): FieldError {
  return { code, detail, pointer: null, parameter: null }
}

/** What a schema found wrong with an input, each with its JSON pointer or its parameter's name. */
export function refuseIssues(
  issues: readonly z.core.$ZodIssue[],
  place: 'body' | 'query',
  input: unknown,
): { readonly ok: false; readonly refusal: Refusal } {
  const errors = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) =>
          located('unknown_member', `"${key}" is not expected`, [...issue.path, key], place),
        )
      : [located(...faultOf(issue, input), issue.path, place)],
  )
  const first = errors[0]
  const where = first?.pointer ?? first?.parameter
  return refuse('invalid_request', `${where ? `${where}: ` : ''}${first?.detail ?? 'malformed'}`, {
    errors,
  })
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
