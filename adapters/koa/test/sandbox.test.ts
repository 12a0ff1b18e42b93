import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCast } from './cast.ts'
import { type Person, value } from './world.ts'

test('the sandbox shows its own tenant, with the caller’s own rights', async () => {
  const world = await openCast()
  try {
    const { sandbox, home, reviewer, auditor, call, opened } = world
    const shown = await opened(sandbox.app)
    const headers = { 'x-service-sandbox': 'true' }
    const read = (path: string, as: Person) =>
      call({ host: 'portal', method: 'GET', path, as, headers })
    const review = await read(`/v1/review-cases/${shown.reviewCaseId}`, reviewer)
    assert.deepEqual([review.status, review.json.tenantId], [200, sandbox.tenantId])
    const list = await read('/v1/review-cases', home.admin)
    assert.deepEqual([list.status, list.json.totalCount], [200, 1])
    const webhooks = await read('/v1/webhooks', auditor)
    assert.deepEqual(
      (webhooks.json.webhooks as readonly { id: string }[]).map(({ id }) => id),
      [sandbox.webhookId],
    )
    assert.equal((await read('/v1/review-cases', auditor)).status, 403)
    const change = (value: string, as: Person = home.admin) =>
      call({
        host: 'portal',
        method: 'POST',
        path: '/v1/applications',
        as,
        body: { name: 'x' },
        headers: { 'x-service-sandbox': value },
      })
    for (const value of ['TRUE', 'True', ' true '])
      assert.equal((await change(value)).json.code, 'sandbox_read_only', value)
    // Any other value is a mistake, told once it is clear that the caller may.
    for (const value of ['false', '1', 'yes', 'true, true', '']) {
      const { status, json } = await change(value)
      assert.deepEqual([status, json.code], [400, 'invalid_request'], value)
      assert.equal((await change(value, auditor)).json.code, 'forbidden', value)
    }
    const { json: applications } = await call({
      host: 'portal',
      method: 'GET',
      path: '/v1/applications',
      as: home.admin,
    })
    assert.equal(JSON.stringify(applications).includes('"x"'), false)
    // Behind the adapter the core refuses a guest's change too.
    const guest = { ...home.admin.actor, tenantId: sandbox.tenantId, guest: true } as const
    const changed = await world.service.applications.create(guest, { name: 'x' })
    assert.equal(changed.ok ? null : changed.refusal.code, 'sandbox_read_only')
  } finally {
    await world.close()
  }
})

test('an invitation is not accepted in sandbox mode', async () => {
  const world = await openCast()
  try {
    const { home, call, service } = world
    const invited = await service.invitations.create(home.admin.actor, {
      email: 'eve@home.example',
    })
    const token = new URL(value(invited).acceptUrl ?? '').hash.slice(1)
    const accept = (headers: Readonly<Record<string, string>>) =>
      call({
        host: 'portal',
        method: 'POST',
        path: '/v1/auth/accept-invitation',
        body: { token, name: 'Eve', password: 'correct horse battery' },
        headers,
      })
    const shown = await accept({ 'x-service-sandbox': 'true' })
    assert.deepEqual([shown.status, shown.json.code], [403, 'sandbox_read_only'])
    assert.equal((await accept({})).status, 200)
  } finally {
    await world.close()
  }
})

test('exports of the sandbox stream, and leave nothing', async () => {
  const world = await openCast()
  try {
    const { sandbox, home, call } = world
    await world.storeSession(sandbox.app, 'ses_sandbox')
    const headers = { 'x-service-sandbox': 'true' }
    const exported = () =>
      call({
        host: 'portal',
        method: 'POST',
        path: '/v1/applications/evidence/bulk-export',
        as: home.admin,
        headers,
        body: { applicationIds: [sandbox.app.applicationId] },
      })
    // The first export makes the key that signs, which a seeded sandbox has.
    await exported()
    const before = world.contents()
    const { status, text } = await exported()
    assert.equal(status, 200)
    assert.match(text, /ses_sandbox/)
    assert.equal(world.contents(), before)
  } finally {
    await world.close()
  }
})
