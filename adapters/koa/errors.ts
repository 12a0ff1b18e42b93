import type { FieldError } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { encodedStatus, isProtobuf, protobufType } from './otlp-media.ts'
import { pathOf } from './pointer.ts'
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

/** Refuses an input for its faults, of which it tells the first 20; a fault of a query has its parameter's name. */
export function refuseFaults(faults: readonly FieldError[], place: 'body' | 'query'): Refused {
  const told = faults.slice(0, mostErrors)
  const errors = place === 'query' ? told.map(ofParameter) : told
  const [first] = errors
  const where = shortened(first?.pointer ?? first?.parameter ?? '')
  return refuse('invalid_request', `${where ? `${where}: ` : ''}${first?.detail ?? 'malformed'}`, {
    errors,
  })
}

/** A fault of a query's member, by the name of its parameter. */
export function ofParameter(fault: FieldError): FieldError {
  const { pointer, parameter } = fault
  const [name = null] = pointer === null ? [] : pathOf(pointer)
  return { ...fault, pointer: null, parameter: parameter ?? name }
}

/** The start of what a caller sent, for a sentence about it. */
function shortened(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}…`
}
