import assert from 'node:assert/strict'
import { get, one, put } from '@countersign/core/ledger'
import { applicationOf, existing } from '../../applications/load.ts'
import { type Application, applications } from '../../applications/records.ts'
import { createFixture, type Fixture, value } from '../organizations/access/fixture.ts'

export const url = 'https://app.example/outcomes'

/** An organization with an application. */
export async function withApplication() {
  const fixture = await createFixture()
  const admin = await fixture.actorOf('ada@acme.example')
  const reviewer = await fixture.actorOf('rob@acme.example')
  const application = value(await fixture.applications.create(admin, { name: 'Claims' }))
  return { ...fixture, adminActor: admin, reviewerActor: reviewer, application }
}

export async function stored(
  { store, tenantId }: Fixture,
  applicationId: string,
): Promise<Application> {
  const [found] = await store.read(tenantId, [applicationOf(tenantId, applicationId)])
  return value(existing(found)).row
}

/** Changes an application's row past its commands. */
export async function move(
  { store, tenantId }: Fixture,
  applicationId: string,
  changes: Partial<Application>,
): Promise<void> {
  const [found] = await store.read(tenantId, [get(applications, [tenantId, applicationId])])
  const was = one(applications, found)
  assert.ok(was)
  const row = { ...was.row, ...changes }
  await store.commit({ tenant: tenantId, puts: [put(applications, row, was)] })
}
