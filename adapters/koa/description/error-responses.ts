import { type AnswerHeader, answerHeaders } from '../answer-headers.ts'
import { binary } from '../download.ts'
import { jsonType } from '../media.ts'
import type { Route } from '../operation.ts'
import { protobufType } from '../otlp-media.ts'
import { type ErrorCode, meanings } from '../refusal.ts'
import { statusOf } from '../status.ts'
import { errorCodesOf } from './error-codes.ts'
import { type Json, referenceTo } from './json-schema.ts'

/** The refusals of an operation as responses, by status. */
export function errorResponsesOf(row: Route): ReadonlyMap<number, Json> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of [...errorCodesOf(row)].toSorted()) {
    const status = statusOf[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return new Map(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => [status, errorResponse(row, status, codes)]),
  )
}

function errorResponse(row: Route, status: number, codes: readonly ErrorCode[]): Json {
  const error =
    row.errors === 'rpc'
      ? // There `code` is a number of google.rpc.
        narrowed(
          'RpcError',
          'type',
          codes.map((code) => `urn:countersign:error:${code}`),
        )
      : narrowed('Error', 'code', codes)
  return {
    description: codes.map((code) => `\`${code}\`: ${meanings[code]}.`).join('\n'),
    headers: headerReferences(errorHeadersOf(row, status)),
    content: {
      [jsonType]: { schema: error },
      ...(row.errors === 'rpc' && { [protobufType]: { schema: binary } }),
    },
  }
}

function narrowed(name: string, member: string, values: readonly string[]): Json {
  return {
    allOf: [
      referenceTo(name),
      { type: 'object', properties: { [member]: { type: 'string', enum: values } } },
    ],
  }
}

/** Headers that every answer to a caller with a known key has, on the ingest host. */
export function rateHeadersOf({ auth }: Pick<Route, 'auth'>): readonly AnswerHeader[] {
  return auth === 'application' || auth === 'customerKey'
    ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    : []
}

/** Headers of a refusal; those that not every refusal of the status has are optional. */
function errorHeadersOf(row: Route, status: number): readonly AnswerHeader[] {
  const rotates = status === 409 && row.refuses.includes('already_rotating')
  const waits = status === 429 || status === 503 || rotates
  return [
    'X-Request-Id',
    ...(status === 401 ? [] : rateHeadersOf(row)),
    ...(status === 401 && row.host !== 'portal' ? (['WWW-Authenticate'] as const) : []),
    ...(status === 415 ? (['Accept-Encoding'] as const) : []),
    ...(waits ? (['Retry-After'] as const) : []),
  ]
}

/** References to headers of the document's components. */
export function headerReferences(names: readonly AnswerHeader[]): Json {
  return Object.fromEntries(
    names
      .toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
      .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
}

const order = Object.keys(answerHeaders)
