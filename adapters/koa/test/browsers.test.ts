import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes, sessionCookie } from '../index.ts'
import type { Asked } from './client.ts'
import { keyOf, pathOf, sampleOf } from './requests.ts'
import { openWorld, password, type World } from './world.ts'

describe('what a browser may be made to send', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const table: readonly (readonly [headers: Record<string, string>, allowed: boolean])[] = [
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'odd' }, false],
    // Where the browser says both, the site decides: an Origin of our own can be another port's.
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://portal.example' }, false],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, true],
    [{ origin: 'https://portal.example' }, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'https://portal.example.evil.example' }, false],
    [{ origin: 'https://portal.example:8443' }, false],
    [{ origin: 'http://portal.example' }, false],
    [{ origin: 'https://portal.example:443' }, true],
    [{ origin: 'null' }, false],
    [{ origin: 'portal.example' }, false],
  ]

  for (const [headers, allowed] of table)
    test(`${JSON.stringify(headers)} is ${allowed ? 'let in' : 'refused'}`, async () => {
      const untouched = world.contents()
      const answer = await world.call({
        host: 'portal',
        method: 'POST',
        path: '/v1/applications',
        as: world.home.admin,
        body: { name: 'x' },
        headers: { host: 'portal.example', ...headers },
      })
      assert.equal(answer.status, allowed ? 200 : 403, answer.text)
      if (allowed) return
      assert.equal(answer.json.code, 'cross_site')
      assert.equal(world.contents(), untouched)
    })

  test('every change of the portal is guarded, login among them; reads and the ingest host are not', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    for (const row of routes) {
      const sample = await sampleOf(row, world)
      const { host, method } = row
      const as = host === 'portal' ? world.home.admin : world.home.app
      const body = row.body.input ? { ...sample.body } : undefined
      const untouched = world.contents()
      const answer = await world.call({
        host,
        method,
        path: pathOf(row, sample),
        as,
        body,
        headers,
      })
      const guarded = host === 'portal' && method !== 'GET'
      assert.equal(answer.json.code === 'cross_site', guarded, keyOf(row))
      if (guarded) assert.equal(world.contents(), untouched, keyOf(row))
    }
  })

  test('no header changes the method', async () => {
    const { home, call } = world
    const path = `/v1/webhooks/${home.webhookId}`
    for (const name of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const headers = { [name]: 'DELETE' }
      const read = await call({ host: 'portal', method: 'GET', path, as: home.admin, headers })
      assert.deepEqual([read.status, read.json.id], [200, home.webhookId])
    }
    const query = await call({
      host: 'portal',
      method: 'GET',
      path: `${path}?_method=DELETE`,
      as: home.admin,
    })
    assert.equal(query.status, 400)
  })

  test('the cookie: its name, its attributes, and its end', async () => {
    const { auditor, call } = world
    const login = await call({
      host: 'portal',
      method: 'POST',
      path: '/v1/auth/login',
      body: { email: auditor.email, password },
    })
    const token = String(login.json.token)
    const [session, device = ''] = login.headers['set-cookie'] ?? []
    assert.equal(
      session,
      `service_customer_token=${token}; HttpOnly; Secure; SameSite=Lax; Path=/; Max-Age=86400`,
    )
    assert.match(
      device,
      /^service_customer_device=[\w.]+; HttpOnly; Secure; SameSite=Lax; Path=\/v1\/auth; Max-Age=15552000$/,
    )
    assert.deepEqual(Object.keys(login.json).sort(), [
      'cookieName',
      'expiresAt',
      'member',
      'tenantId',
      'token',
    ])
    assert.equal(login.json.cookieName, sessionCookie.name)
    assert.equal(Date.parse(String(login.json.expiresAt)) - world.clock.now(), 86_400_000)

    const as = { ...auditor, cookie: token }
    const logout = await call({ host: 'portal', method: 'POST', path: '/v1/auth/logout', as })
    assert.deepEqual([logout.status, logout.json], [200, { loggedOut: true }])
    assert.deepEqual(logout.headers['set-cookie'], [
      'service_customer_token=; HttpOnly; Secure; SameSite=Lax; Path=/; Max-Age=0',
    ])
    const after = await call({ host: 'portal', method: 'GET', path: '/v1/auth/session', as })
    assert.equal(after.status, 401)
  })

  test('the cookie of a sign-in by passkey: for this host alone, and for no page', async () => {
    const begun = await world.call({
      ...{ host: 'portal', method: 'POST', path: '/v1/auth/passkey/options', body: {} },
    })
    const [cookie = '', ...others] = begun.headers['set-cookie'] ?? []
    assert.match(
      cookie,
      /^__Host-service_customer_sign_in=[\w-]+; HttpOnly; Secure; SameSite=Lax; Path=\/; Max-Age=300$/,
    )
    assert.deepEqual(others, [])
    const [, token = ''] = /=([\w-]+);/.exec(cookie) ?? []
    assert.ok(token !== '' && !begun.text.includes(token))
    assert.deepEqual(Object.keys(begun.json).sort(), ['expiresAt', 'options', 'statement'])
  })

  test('a login that fails sets no cookie and says the same of every reason', async () => {
    const { reviewer, call } = world
    const login = (body: Asked['body']) =>
      call({ host: 'portal', method: 'POST', path: '/v1/auth/login', body })
    const wrong = await login({ email: reviewer.email, password: 'wrong password' })
    const unknown = await login({ email: 'nobody@home.example', password })
    const { requestId: _, ...first } = wrong.json
    const { requestId: __, ...second } = unknown.json
    assert.deepEqual([wrong.status, first], [401, second])
    assert.deepEqual(
      [wrong.headers['set-cookie'], unknown.headers['set-cookie']],
      [undefined, undefined],
    )
    assert.equal(wrong.text.includes('wrong password'), false)
  })

  test('no answer invites another origin', async () => {
    const { home, call } = world
    const headers = {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const answer = await call({
      host: 'portal',
      method: 'OPTIONS',
      path: '/v1/applications',
      as: home.admin,
      headers,
    })
    assert.equal(answer.status, 200)
    assert.deepEqual(
      Object.keys(answer.headers).filter((name) => name.startsWith('access-control-')),
      [],
    )
  })
})
