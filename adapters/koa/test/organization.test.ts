import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openWorld, password, value, type World } from './world.ts'

describe('the organization over HTTP', () => {
  let world: World

  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const portal = (method: string, path: string, body?: unknown, as = world.home.admin) =>
    world.call({ host: 'portal', as, method, path, ...(body !== undefined && { body }) })

  it('invites, lets in, and shuts out at once', async () => {
    const { home } = world
    const invited = await portal('POST', '/v1/customer/invitations', { email: 'eve@home.example' })
    const token = new URL(invited.json.acceptUrl as string).hash.slice(1)
    const accept = () =>
      world.call({
        host: 'portal',
        method: 'POST',
        path: '/v1/auth/accept-invitation',
        body: { token, name: 'Eve', password },
      })
    const accepted = await accept()
    assert.equal(accepted.status, 200)
    assert.equal(accepted.headers['set-cookie'], undefined)
    const again = await accept()
    assert.deepEqual([again.status, again.json.code], [410, 'invitation_expired'])

    const login = value(
      await world.service.auth.login({
        email: 'eve@home.example',
        password,
        address: '192.0.2.1',
      }),
    )
    const actor = value(await world.service.access.authenticateMember(login.token))
    const eve = { actor, email: 'eve@home.example', cookie: login.token }
    assert.equal((await portal('GET', '/v1/auth/session', undefined, eve)).status, 200)
    const { memberId } = actor
    const path = `/v1/customer/members/${memberId}/deactivate`
    assert.equal((await portal('POST', path, { confirm: true })).json.status, 'Suspended')
    assert.equal((await portal('GET', '/v1/auth/session', undefined, eve)).status, 401)
    const own = `/v1/customer/members/${home.admin.actor.memberId}/deactivate`
    const last = await portal('POST', own, { confirm: true })
    assert.deepEqual([last.status, last.json.code], [409, 'last_admin'])
  })

  it('is named by its profile in evidence', async () => {
    const { home } = world
    const profile = { organizationName: 'Renamed', contactEmail: 'office@home.example' }
    assert.equal((await portal('PUT', '/v1/customer/profile', profile)).status, 200)
    await world.storeSession(home.app, 'ses_named')
    const evidence = await portal('GET', '/v1/sessions/ses_named/evidence')
    assert.equal(evidence.json.organizationName, 'Renamed')
  })

  it('sets how members sign in once its admin proves it, and tells members', async () => {
    const path = '/v1/customer/sign-in-rule'
    const unproved = await portal('PUT', path, { signIn: 'password' })
    assert.deepEqual([unproved.status, unproved.json.code], [400, 'invalid_request'])
    const rule = { signIn: 'password', password }
    assert.equal((await portal('PUT', path, rule, world.auditor)).status, 403)
    const set = await portal('PUT', path, rule)
    assert.deepEqual([set.status, set.json], [200, { signIn: 'password' }])
    const read = await portal('GET', path, undefined, world.auditor)
    assert.deepEqual(read.json, { signIn: 'password' })
  })

  it('sets which models sign, of those that the service can verify, and tells members', async () => {
    const path = '/v1/customer/signing-models'
    const model = { aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a', label: 'Blue' }
    const unverifiable = await portal('PUT', path, { models: [model] })
    assert.deepEqual([unverifiable.status, unverifiable.json.code], [400, 'invalid_request'])
    assert.equal((await portal('PUT', path, { models: [] }, world.auditor)).status, 403)
    assert.equal((await portal('PUT', path, { models: [] })).status, 200)
    const read = await portal('GET', path, undefined, world.auditor)
    assert.deepEqual(read.json, { version: 1, models: [], verifiable: [] })
    const stale = await portal('PUT', path, { models: [], version: 2 })
    assert.deepEqual([stale.status, stale.json.code], [409, 'version_conflict'])
  })

  it('takes the token of a password reset once, and ends the sessions before it', async () => {
    const { auditor: member, service } = world
    const { resetUrl } = value(
      await service.auth.issuePasswordReset({ kind: 'system' }, { email: member.email }),
    )
    const body = { token: new URL(resetUrl).hash.slice(1), password: 'another long password' }
    const reset = {
      host: 'portal',
      method: 'POST',
      path: '/v1/auth/password/reset/accept',
    } as const
    const done = await world.call({ ...reset, body })
    const { memberId } = done.json.member as { readonly memberId: string }
    assert.deepEqual([done.status, memberId], [200, member.actor.memberId])
    assert.equal((await portal('GET', '/v1/auth/session', undefined, member)).status, 401)
    const again = await world.call({ ...reset, body })
    assert.deepEqual([again.status, again.json.code], [404, 'not_found'])
    const login = { email: member.email, password: body.password, address: '192.0.2.1' }
    assert.equal(value(await service.auth.login(login)).member.memberId, memberId)
  })

  it('asks for the plan before the body is read, and after the right', async () => {
    const { home, service } = world
    const system = { kind: 'system' } as const
    value(await service.tenants.setPlan(system, { tenantId: home.tenantId, plan: 'Builder' }))
    const gated = [
      ['POST', '/v1/applications/evidence/bulk-export', 'application/zip'],
      ['POST', '/v1/applications/auditor-pack', 'application/zip'],
      ['GET', '/v1/sessions/ses_unknown/blockchain-certificate?odd=1', 'application/json'],
    ] as const
    for (const [method, path, accept] of gated) {
      const refused = await world.call({
        host: 'portal',
        as: home.admin,
        method,
        path,
        headers: { accept },
        ...(method === 'POST' && { body: { applicationIds: 'none' } }),
      })
      assert.deepEqual([refused.status, refused.json.code], [403, 'plan_required'], path)
    }
    value(await service.tenants.setPlan(system, { tenantId: home.tenantId, plan: 'Team' }))
    const path = '/v1/applications/evidence/bulk-export'
    const malformed = await portal('POST', path, { applicationIds: 'none' })
    assert.equal(malformed.status, 400)
  })

  it('tells its audit log by pages and by cursor', async () => {
    const paged = await portal('GET', '/v1/customer/audit-log?pageSize=3')
    const { entries, totalCount } = paged.json as {
      readonly entries: readonly { readonly position: number }[]
      readonly totalCount: number
    }
    assert.deepEqual(
      entries.map(({ position }) => position),
      [totalCount, totalCount - 1, totalCount - 2],
    )
    const positions: number[] = []
    for (let after: string | null = ''; after !== null; ) {
      const cursor: string = after && `&after=${after}`
      const part = await portal('GET', `/v1/customer/audit-log?limit=4${cursor}`)
      const rows = part.json.rows as readonly { readonly position: number }[]
      positions.push(...rows.map(({ position }) => position))
      after = part.json.next as string | null
    }
    assert.deepEqual(
      positions,
      Array.from({ length: totalCount }, (_, at) => totalCount - at),
    )
    const query = 'action=tenant.created&limit=1'
    const found = await portal('GET', `/v1/customer/audit-log?${query}`)
    const [row] = found.json.rows as readonly { readonly position: number }[]
    assert.deepEqual([row?.position, found.json.next, found.json.scannedTo], [1, null, null])
  })
})
