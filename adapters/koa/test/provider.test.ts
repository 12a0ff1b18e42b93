import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openWorld, password } from './world.ts'

it('a provider logs a member in over HTTP, once, by the cookie of the browser that began it', async (t) => {
  const world = await openWorld()
  const { home, auditor, identityProviders: provider } = world
  t.after(() => world.close())
  const { tenantId } = home.admin.actor
  const email = auditor.email
  const person = { subject: 'one', email, emailVerified: true, name: 'One' }
  provider.identity = person
  provider.records.set('home.example', [`countersign=${tenantId}`])
  const settings = '/v1/customer/sign-in-provider'
  const asAdmin = (method: string, path: string, body?: object) =>
    world.call({ host: 'portal', as: home.admin, method, path, ...(body && { body }) })
  const asNobody = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    world.call({ host: 'portal', method: 'POST', path: `/v1/auth/provider${path}`, body, headers })

  const saved = await asAdmin('PUT', settings, {
    ...{ issuer: 'https://id.home.example', clientId: 'countersign', clientSecret: 'a secret' },
    ...{ emailDomains: ['home.example'], provision: null, required: false },
    ...{ breakGlassMemberId: null, password },
  })
  assert.equal(saved.status, 200, JSON.stringify(saved.json))
  assert.deepEqual((await asAdmin('GET', settings)).json, saved.json)

  const begun = await asNobody('/start', { email })
  assert.equal(begun.json.browserToken, undefined)
  const [cookie = ''] = String(begun.headers['set-cookie']).split(';')
  assert.match(String(begun.headers['set-cookie']), /HttpOnly/)
  const { search: query } = new URL(String(begun.json.url))
  assert.equal((await asNobody('', { query })).status, 401)
  const entered = await asNobody('', { query }, { cookie })
  assert.equal((entered.json.member as { readonly email: string }).email, email)
  assert.equal((await asNobody('', { query }, { cookie })).status, 401)

  const removed = await asAdmin('POST', `${settings}/remove`, { password })
  assert.deepEqual(removed.json, { removed: true })
  assert.equal((await asNobody('/start', { email })).status, 404)
})
