import type { Route } from '../index.ts'
import type { Asked } from './client.ts'
import { pathOf, type Sample } from './requests.ts'
import { openWorld, type Sender, value, type World } from './world.ts'

/** The world, and those who fell from grace. */
export async function openCast() {
  const world = await openWorld()
  const { home, service, alter, call } = world
  const [leaver, logger] = [
    await home.person('CustomerAdmin', []),
    await home.person('CustomerAdmin', []),
  ]
  await alter('members', { memberId: leaver.actor.memberId }, { status: 'Suspended' })
  await call({ host: 'portal', method: 'POST', path: '/v1/auth/logout', as: logger, body: {} })
  const [revoked, leaving] = [await home.newApp(), await home.newApp()]
  await service.applicationKeys.revoke(home.admin.actor, {
    applicationId: revoked.applicationId,
    keyId: revoked.keyId,
  })
  const { applicationId } = leaving
  // A key's first use within an hour is noted.
  value(await service.access.authenticateCustomerKey(leaving.ingest.key, null))
  await alter('applications', { applicationId }, { lifecycleState: 'pending_deletion' })
  const made = await world.tenant('frozen')
  const frozen = { ...made, app: await made.newApp() }
  await alter('tenants', { tenantId: frozen.tenantId }, { status: 'suspended' })
  return { ...world, leaver, logger, revoked, leaving, frozen }
}

export type Cast = Awaited<ReturnType<typeof openCast>>

/** A request that is right in every way but for who sends it. */
export function ask(
  world: World,
  row: Route,
  sample: Sample,
  more: Partial<Asked> & { as: Sender },
) {
  const { method, host } = row
  const body = sample.body && { ...sample.body, ...sample.optional }
  return world.call({ host, method, path: pathOf(row, sample), body, ...more })
}

/** An id of the same form that nothing has. */
export function unknownLike(id: string): string {
  return id.replace(/_.*$/, `_${'0'.repeat(26)}`)
}

export function unknownIds({ ids = {} }: Sample): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, unknownLike(id)]))
}
