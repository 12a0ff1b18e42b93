import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refusalCodes } from '@countersign/core/ledger'
import { codesWithoutRoute, errorCodesOf } from '../description/error-codes.ts'
import { type ErrorCode, hostCodes, type Route, routes } from '../index.ts'
import { checkAnswer } from './check-answer.ts'

const asked = { method: 'GET', path: '/v1/auth/session?x=1' }
const member = {
  memberId: 'mem_1',
  name: 'Ann',
  email: 'ann@a.example',
  role: 'CustomerAdmin',
  permissions: ['Review Cases'],
}
const session = { member, tenantId: 'ten_1', expiresAt: '2026-11-21T10:00:00.000Z' }
const refused = {
  type: 'urn:countersign:error:forbidden',
  title: 'Forbidden',
  status: 403,
  code: 'forbidden',
  detail: 'needs the role CustomerAdmin',
  requestId: 'abc',
  errors: [{ code: 'forbidden', detail: 'no', pointer: null, parameter: null }],
}

function answered(status: number, json: object, type = 'application/json; charset=utf-8') {
  return {
    status,
    json: { ...json },
    text: JSON.stringify(json),
    headers: { 'content-type': type },
  }
}

describe('an answer that its route does not declare is found', () => {
  const holds = (status: number, json: object, type?: string) =>
    checkAnswer('portal', asked, answered(status, json, type))
  const refusedWith = (code: ErrorCode, status: number, more: object = {}) =>
    holds(status, { ...refused, type: `urn:countersign:error:${code}`, code, status, ...more })

  test('what is declared passes', () => {
    holds(200, session)
    refusedWith('authentication_required', 401)
    refusedWith('unavailable', 503, { written: false })
    checkAnswer(
      'portal',
      { ...asked, path: '/v1/unknown' },
      answered(404, { ...refused, code: 'not_found', status: 404 }),
    )
  })

  const { tenantId: _, ...short } = session
  for (const [name, broken] of [
    ['a member missing', () => holds(200, short)],
    ['a member too many', () => holds(200, { ...session, secret: 'x' })],
    [
      'a member too many within',
      () => holds(200, { ...session, member: { ...member, hash: 'x' } }),
    ],
    ['a member of another type', () => holds(200, { ...session, expiresAt: 17 })],
    [
      'a time without milliseconds',
      () => holds(200, { ...session, expiresAt: '2026-11-21T10:00:00Z' }),
    ],
    ['another media type', () => holds(200, session, 'text/plain')],
    ['another success', () => holds(201, session)],
    ['an unknown status', () => refusedWith('authentication_required', 418)],
    ['the status of another code', () => refusedWith('authentication_required', 403)],
    ['a code that no table has', () => holds(401, { ...refused, code: 'nope', status: 401 })],
    ['a code of another route', () => refusedWith('webhook_limit', 409)],
    ['a right that the route does not ask for', () => refusedWith('forbidden', 403)],
    ['a refusal with a member too many', () => refusedWith('unavailable', 503, { stack: 'x' })],
    ['a refusal without its errors', () => refusedWith('unavailable', 503, { errors: [] })],
    ['success where no route is', () => checkAnswer('ingest', asked, answered(200, session))],
  ] as const)
    test(name, () => {
      assert.throws(broken, assert.AssertionError)
    })
})

test('every code is one that an operation refuses with', () => {
  const unused = (rows: readonly Route[]) => {
    const given = new Set([...codesWithoutRoute, ...rows.flatMap((row) => [...errorCodesOf(row)])])
    return [...refusalCodes, ...hostCodes].filter((code) => !given.has(code))
  }
  assert.deepEqual(unused(routes), [])
  assert.deepEqual(unused(routes.filter(({ name }) => name !== 'webhooks.create')), [
    'webhook_limit',
  ])
})
