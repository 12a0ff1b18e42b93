import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Cause, complete, iso, legacy, newSession, platform, send } from './acts.ts'
import { day, minute, portalUrl, type ReceivedWorld } from './world.ts'

type OrganizationEventType =
  | 'gdpr.erasure_completed'
  | 'gdpr.legal_hold_placed'
  | 'application.purge_completed'
  | 'evidence_package.ready'
  | 'application.promoted'

/** The pseudonym of a data subject of whom there is a session. */
async function pseudonymOf(world: ReceivedWorld, dataSubjectId: string): Promise<string> {
  const body = { dataSubjectId }
  const found = await world.portal('admin', 'POST', '/v1/gdpr/subjects/lookup', body)
  assert.match(found.dataSubjectId, /^sub_/)
  return found.dataSubjectId
}

/** What brings the events of privacy, packages and an application's life about. */
export const organizationCauses: { readonly [T in OrganizationEventType]: Cause<T> } = {
  'gdpr.erasure_completed': async (world) => {
    const app = await world.application()
    await complete(world, app, 1, { attributes: { 'user.id': 'grace@example.com' } })
    const dataSubjectId = await pseudonymOf(world, 'grace@example.com')
    const path = '/v1/gdpr/erasure-requests'
    const asked = { dataSubjectId, reason: 'consent_withdrawn', confirm: true }
    const { erasureRequestId } = await world.portal('admin', 'POST', path, asked)
    await world.pass(5 * minute)
    const done = await world.portal('admin', 'GET', `${path}/${erasureRequestId}`)
    assert.equal(done.status, 'completed')
    const { completedAt } = done
    const certificateUrl = `${portalUrl}${path}/${erasureRequestId}/certificate`
    const certificate = JSON.parse((await world.download(certificateUrl)).toString())
    assert.equal(certificate.erasureRequestId, erasureRequestId)
    const data = { dataSubjectId, erasureRequestId, completedAt, certificateUrl }
    return [legacy(world, 'gdpr.erasure_completed', { at: completedAt, app: null }, data)]
  },

  'gdpr.legal_hold_placed': async (world) => {
    const app = await world.application()
    await complete(world, app, 1, { attributes: { 'user.id': 'alan@example.com' } })
    const dataSubjectId = await pseudonymOf(world, 'alan@example.com')
    const path = '/v1/gdpr/legal-holds'
    const { applicationId } = app
    const body = { dataSubjectId: 'alan@example.com', applicationId, matter: 'A dispute' }
    const { holdId, placedAt } = await world.portal('admin', 'POST', path, body)
    await world.portal('admin', 'POST', `${path}/${holdId}/release`, { reason: 'settled' })
    assert.equal(placedAt, iso(world.clock.now()))
    const data = { holdId, dataSubjectId, placedAt }
    return [legacy(world, 'gdpr.legal_hold_placed', { at: placedAt, app }, data)]
  },

  'application.purge_completed': async (world) => {
    const app = await world.application()
    const [mine, also, nobodys] = [newSession(), newSession(), newSession()]
    const attributes = { 'user.id': 'ida@example.com', 'input.value': 'private' }
    await send(world, app, { sessionId: mine, attributes }, { sessionId: also, attributes })
    await send(world, app, { sessionId: nobodys, attributes: { 'input.value': 'text' } })
    await world.pass(10 * minute)
    const path = `/v1/applications/${app.applicationId}`
    const { deletion } = await world.portal('admin', 'DELETE', `${path}/purge`)
    await world.leap(7 * day - minute)
    assert.equal((await world.portal('admin', 'GET', path)).lifecycleState, 'pending_deletion')
    const prefix = `tenants/${world.tenantId}/applications/${app.applicationId}/`
    const blobs = await world.blobs.list({ prefix, after: null, take: 100 })
    await world.pass(2 * minute)
    const { lifecycleState, purgedAt } = await world.portal('admin', 'GET', path)
    assert.equal(lifecycleState, 'purged')
    assert.ok(purgedAt >= deletion.purgeAt && blobs.length > 0)
    // A salt for the subject, and one for the session that names nobody.
    const data = {
      ...{ requestedAt: deletion.requestedAt, purgedAt },
      ...{ sessionsDeleted: 3, blobsDeleted: blobs.length, saltsDestroyed: 2 },
    }
    return [legacy(world, 'application.purge_completed', { at: purgedAt, app }, data)]
  },

  'evidence_package.ready': async (world) => {
    const app = await world.application()
    await complete(world, app, 2)
    const { applicationId } = app
    const path = '/v1/applications/evidence/bulk-export'
    const response = await world.ask('admin', 'POST', path, { applicationIds: [applicationId] })
    const file = Buffer.from(await response.arrayBuffer())
    const packageId = response.headers.get('x-package-id') ?? ''
    const disposition = response.headers.get('content-disposition') ?? ''
    const at = world.clock.now()
    const downloadUrl = `${portalUrl}/v1/evidence-packages/${packageId}/download`
    assert.deepEqual(await world.download(downloadUrl), file)
    const data = {
      ...({ packageId, packType: 'bulk', mediaType: 'application/zip' } as const),
      fileName: /filename="([^"]+)"/.exec(disposition)?.[1] ?? '',
      bytes: file.length,
      sha256: createHash('sha256').update(file).digest('hex'),
      sessionCount: 2,
      ...{ createdAt: iso(at), expiresAt: iso(at + 7 * day), downloadUrl },
    }
    return [legacy(world, 'evidence_package.ready', { at, app }, data)]
  },

  'application.promoted': async (world) => {
    const app = await world.application()
    const path = `/v1/applications/${app.applicationId}/promote`
    const told = []
    for (const [fromStage, toStage] of [
      ['development', 'staging'],
      ['staging', 'production'],
    ] as const) {
      const { promotedAt } = await world.portal('admin', 'POST', path, { to: toStage })
      const data = { fromStage, toStage, promotedAt }
      told.push(platform(world, 'application.promoted', { at: promotedAt, app }, data))
      await world.pass(minute)
    }
    return told
  },
}
