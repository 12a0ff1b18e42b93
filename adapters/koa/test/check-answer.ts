import assert from 'node:assert/strict'
import { type ErrorBody, errorShape, rpcErrorShape } from '../description/answers.ts'
import { codesWithoutRoute, errorCodesOf } from '../description/error-codes.ts'
import { type ErrorCode, type Host, type Route, routes, statusOf } from '../index.ts'
import { protobufType } from '../otlp-media.ts'
import { rpcCodeOf } from '../status.ts'
import type { Answered, Asked } from './client.ts'
import { answerFault, checkShipped } from './shipped.ts'

/** The row that a request leads to; HEAD is served by GET's. */
function rowOf(host: Host, { method, path }: Pick<Asked, 'method' | 'path'>): Route | undefined {
  const [pathname = ''] = path.split('?')
  const asked = method === 'HEAD' ? 'GET' : method
  return routes.find(
    (row) =>
      row.host === host &&
      row.method === asked &&
      [row.path, ...(row.aliases ?? [])].some((each) => patternOf(each).test(pathname)),
  )
}

/** The paths that a route takes. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)
}

/**
 * Fails unless an answer is one that its route declares: its success with a body that the row's schema takes whole, or a
 * refusal in the form of the one error body, with its code's status, for a code that the row names or implies; and one
 * that the description shipped with the package has too.
 */
export function checkAnswer(
  host: Host,
  asked: Pick<Asked, 'method' | 'path'>,
  answered: Pick<Answered, 'status' | 'headers' | 'text' | 'bytes' | 'json'>,
  among: (host: Host, asked: Pick<Asked, 'method' | 'path'>) => Route | undefined = rowOf,
): void {
  if (asked.method === 'OPTIONS') return
  const row = among(host, asked)
  const what = `${asked.method} ${host} ${asked.path} answered ${answered.status}`
  const { status, json } = answered
  if (row) checkShipped(row, asked, answered)
  const bare = asked.method === 'HEAD'
  if (status === 304) {
    assert.ok(row?.method === 'GET' && row.answer.headers?.includes('ETag'), what)
    assert.equal(answered.text, '', what)
    return
  }
  if (status === 200 || status === 202) {
    assert.ok(row, `${what}, and no route is there`)
    assert.equal(status, row.answer.status ?? 200, what)
    const [type] = (answered.headers['content-type'] ?? '').split(';')
    assert.ok(
      row.answer.types.includes(type ?? ''),
      `${what} as ${type}, which ${row.name} does not produce`,
    )
    if (bare || type === protobufType) return
    const body = type === 'application/json' ? json : answered.text
    assert.equal(answerFault(row.answer.schema, body), null, `${what}, not as ${row.name} declares`)
    return
  }
  assert.ok(Object.values<number>(statusOf).includes(status), `${what}, a status of no code`)
  if (bare) return
  if (answered.headers['content-type'] === protobufType) {
    assert.equal(row?.errors, 'rpc', what)
    assert.deepEqual([...(answered.bytes ?? [])].slice(0, 2), [8, rpcCodeOf[status]], what)
    return
  }
  const { answer: form } = (row?.errors === 'rpc' ? rpcErrorShape : errorShape).json
  assert.equal(answerFault(form, json), null, `${what}, not in the one error form`)
  const error = json as unknown as ErrorBody
  // On the route of OTLP `code` is a number.
  const code =
    row?.errors === 'rpc'
      ? (error.type.replace('urn:countersign:error:', '') as ErrorCode)
      : error.code
  if (row?.errors === 'rpc') assert.equal(json.code, rpcCodeOf[status], what)
  assert.equal(status, statusOf[code], `${what} with the code ${code}`)
  const known = row ? errorCodesOf(row) : new Set(codesWithoutRoute)
  assert.ok(known.has(code), `${what} with ${code}, which ${row?.name ?? 'no route'} declares`)
}
