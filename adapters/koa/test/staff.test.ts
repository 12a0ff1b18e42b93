import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from './client.ts'
import { openWorld, value } from './world.ts'

const suspend = (tenantId: string) => `/v1/staff/tenants/${tenantId}/suspend`
const resume = (tenantId: string) => `/v1/staff/tenants/${tenantId}/resume`
const body = { reason: 'Ticket 4711' }

test('a suspended organization is answered 503, by open sessions, keys and at login', async () => {
  const world = await openWorld()
  try {
    const { home, away, staff, call, opened, service } = world
    const change = (path: string) => call({ host: 'staff', method: 'POST', path, as: staff, body })
    const login = { email: home.admin.email, password: 'correct horse battery' }
    const calls = [
      { host: 'portal', method: 'GET', path: '/v1/auth/session', as: home.admin },
      { host: 'portal', method: 'POST', path: '/v1/auth/logout', as: home.admin, body: {} },
      { host: 'portal', method: 'POST', path: '/v1/auth/login', body: login },
      { host: 'portal', method: 'GET', path: '/v1/webhooks', as: world.auditor },
      { host: 'ingest', method: 'GET', path: '/v1/review-cases/rc_1', as: home.app },
      { host: 'ingest', method: 'GET', path: '/v1/ingest/usage', as: home.app.ingest },
    ] as const
    await opened(home.app)
    assert.equal((await change(suspend(home.tenantId))).json.status, 'suspended')
    for (const asked of calls) {
      const answer = await call(asked)
      assert.deepEqual([answer.status, codeOf(answer)], [503, 'account_suspended'], asked.path)
      assert.equal(answer.headers['retry-after'], '3600', asked.path)
    }
    const other = { ...calls[0], as: away.admin }
    assert.equal((await call(other)).status, 200)
    // What was committed is still sent.
    const types = () =>
      world.transport.exchanges.map(({ body }) => JSON.parse(new TextDecoder().decode(body)).type)
    assert.deepEqual(types(), [])
    service.start()
    await world.clock.advance(1_000)
    assert.ok(types().includes('review.case.created'), types().join())
    assert.equal((await change(resume(home.tenantId))).json.status, 'active')
    assert.equal((await call(calls[0])).status, 200)
  } finally {
    await world.close()
  }
})

test('failures of an address are limited, and a right token is let in all the same', async () => {
  const world = await openWorld({ perAddress: 3 })
  try {
    const { away, staff, call } = world
    const from = { 'x-forwarded-for': '203.0.113.7' }
    const attempt = (authorization: string | null, address = from) =>
      call({
        host: 'staff',
        method: 'POST',
        path: suspend(away.tenantId),
        body,
        headers: { ...address, ...(authorization !== null && { authorization }) },
      })
    const wrong = [null, 'Bearer', `Basic ${staff.token}`, `Bearer ${staff.token}x`, 'Bearer x']
    const answers = []
    for (const each of wrong) answers.push(await attempt(each))
    assert.deepEqual(
      answers.map((answer) => [answer.status, codeOf(answer)]),
      [...Array(3).fill([401, 'authentication_required']), ...Array(2).fill([429, 'rate_limited'])],
    )
    assert.equal(answers[0]?.headers['www-authenticate'], 'Bearer')
    assert.ok(Number(answers[3]?.headers['retry-after']) >= 1)
    const other = { 'x-forwarded-for': '203.0.113.8' }
    assert.equal((await attempt('Bearer x', other)).status, 401)
    const token = `Bearer ${staff.token}`
    assert.equal((await attempt(token)).status, 200)
  } finally {
    await world.close()
  }
})

test('no other credential opens the staff host, and its token opens no other', async () => {
  const world = await openWorld()
  try {
    const { home, away, reviewer, staff, call } = world
    for (const as of [null, home.admin, reviewer, home.app, home.app.ingest]) {
      const asked = { host: 'staff', method: 'POST', path: suspend(away.tenantId), body } as const
      assert.equal((await call({ ...asked, as })).status, 401)
      const key = as && 'key' in as ? as.key : (as?.cookie ?? '')
      const headers = { authorization: `Bearer ${key}` }
      assert.equal((await call({ ...asked, headers })).status, 401)
    }
    const portal = { host: 'portal', method: 'GET', path: '/v1/applications', as: staff } as const
    assert.equal((await call(portal)).status, 401)
    const ingest = { host: 'ingest', method: 'GET', path: '/v1/ingest/usage', as: staff } as const
    assert.equal((await call(ingest)).status, 401)
    const { status } = value(
      await world.service.tenants.resume({ kind: 'system' }, { tenantId: away.tenantId, ...body }),
    )
    assert.equal(status, 'active')
  } finally {
    await world.close()
  }
})
