import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openWorld, type World } from './world.ts'

describe('the deletion of an application', () => {
  let world: World
  let reviewCaseId: string
  before(async () => {
    world = await openWorld()
    ;({ reviewCaseId } = await world.opened(world.home.app))
  })
  after(() => world.close())

  function ask(method: 'GET' | 'POST' | 'DELETE', more: string, body?: object) {
    const { applicationId } = world.home.app
    const path = `/v1/applications/${applicationId}${more}`
    return world.call({ host: 'portal', method, path, as: world.home.admin, ...(body && { body }) })
  }

  async function statuses(): Promise<readonly unknown[]> {
    const { app } = world.home
    const path = `/v1/review-cases/${reviewCaseId}`
    const read = await world.call({ host: 'ingest', method: 'GET', path, as: app })
    const sent = await world.call({
      host: 'ingest',
      method: 'POST',
      path: '/v1/ingest/otlp',
      as: app.ingest,
      body: { resourceSpans: [] },
    })
    return [read.status, sent.status]
  }

  test('closes the ingest host with 410 until it is cancelled', async () => {
    assert.deepEqual(await statuses(), [200, 200])
    const asked = await ask('DELETE', '/purge')
    assert.deepEqual([asked.status, asked.json.lifecycleState], [200, 'pending_deletion'])
    assert.deepEqual(await statuses(), [410, 410])
    const read = await ask('GET', '')
    assert.deepEqual(read.json, asked.json)
    assert.equal(read.headers.etag, asked.headers.etag)
    const put = await ask('POST', '/promote', { to: 'production' })
    assert.deepEqual([put.status, put.json.code], [410, 'application_gone'])
    const back = await ask('POST', '/purge/cancel')
    assert.deepEqual([back.status, back.json.lifecycleState], [200, 'active'])
    assert.deepEqual(await statuses(), [200, 200])
    const again = await ask('POST', '/purge/cancel')
    assert.deepEqual([again.status, again.json.code], [409, 'not_pending'])
  })

  test('is refused under a legal hold', async () => {
    const { applicationId } = world.home.app
    const hold = await world.call({
      host: 'portal',
      method: 'POST',
      path: '/v1/gdpr/legal-holds',
      as: world.home.admin,
      body: { dataSubjectId: 'grace', applicationId, matter: 'a dispute' },
    })
    assert.equal(hold.status, 200)
    const refused = await ask('DELETE', '/purge')
    assert.deepEqual([refused.status, refused.json.code], [409, 'blocked_by_hold'])
  })

  test('needs an admin', async () => {
    const { applicationId } = world.home.app
    const path = `/v1/applications/${applicationId}/purge`
    const refused = await world.call({ host: 'portal', method: 'DELETE', path, as: world.auditor })
    assert.equal(refused.status, 403)
  })
})
