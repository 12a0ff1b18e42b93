import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Route, routes } from '../index.ts'
import { ask } from './cast.ts'
import { entitled, keyOf, type Sample, sampleOf } from './requests.ts'
import { openWorld, value, type World } from './world.ts'

/** Lists whose rows are the organization's, and tell of an application that is being deleted as of any other. */
const records = [
  'GET portal /v1/customer-keys',
  'GET portal /v1/customer/audit-log',
  'GET portal /v1/customer-keys/requests',
  'GET portal /v1/review-events',
  'GET portal /v1/gdpr/legal-holds',
  'GET portal /v1/alert-rules',
  'GET portal /v1/evidence-packages',
]
const hiding = [
  'GET portal /v1/portal/review-queue',
  'GET portal /v1/applications',
  'GET portal /v1/review-cases',
  'GET portal /v1/sessions',
]

let world: World
before(async () => {
  world = await openWorld()
})
after(() => world.close())

type List = readonly [row: Route, sample: Sample]

/** Lists of the portal that are of no one thing, with something in each. */
async function allLists(): Promise<readonly List[]> {
  const found: List[] = []
  for (const row of routes) {
    const { host, method, path } = row
    if (host !== 'portal' || method !== 'GET' || path.includes('/:')) continue
    const sample = await sampleOf(row, world)
    if (sample.list) found.push([row, sample])
  }
  return found
}

/** Lists whose answer names the application, and how many rows they count. */
async function naming(lists: readonly List[], applicationId: string) {
  const found: { readonly key: string; readonly totalCount: number }[] = []
  for (const [row, sample] of lists) {
    const answer = await ask(world, row, sample, { as: entitled(sample, world), headers: {} })
    assert.equal(answer.status, 200, keyOf(row))
    if (JSON.stringify(answer.json).includes(applicationId))
      found.push({ key: keyOf(row), totalCount: Number(answer.json.totalCount) })
  }
  return found
}

test('lists leave out an application that is being deleted and what is its own, until that is taken back', async () => {
  const { service, home } = world
  const { admin, app } = home
  const { applicationId } = app
  await world.storeSession(app, 'ses_1')
  await world.opened(app)
  const rule = { name: 'open', metricName: 'reviews.open', comparator: 'gt', threshold: 0 } as const
  value(
    await service.alertRules.create(admin.actor, {
      ...rule,
      applicationId,
      severity: 'warning',
    }),
  )
  const hold = { dataSubjectId: 'grace', applicationId, matter: 'a dispute' }
  const { holdId } = value(await service.legalHolds.place(admin.actor, hold))
  value(await service.legalHolds.release(admin.actor, { holdId, reason: 'settled' }))
  const asked = { applicationId, reason: 'another backend' }
  value(await service.keyRequests.submit(admin.actor, { action: 'issue-secondary-key', ...asked }))

  const lists = await allLists()
  const shown = await naming(lists, applicationId)
  assert.deepEqual(new Set(shown.map(({ key }) => key)), new Set([...hiding, ...records]))
  value(await service.applications.requestDeletion(admin.actor, { applicationId }))
  const left = await naming(lists, applicationId)
  assert.deepEqual(new Set(left.map(({ key }) => key)), new Set(records))
  const read = await world.call({
    host: 'portal',
    method: 'GET',
    path: `/v1/sessions?applicationId=${applicationId}`,
    as: admin,
  })
  assert.deepEqual([read.json.sessions, read.json.totalCount], [[], 0])
  value(await service.applications.cancelDeletion(admin.actor, { applicationId }))
  const counts = (some: typeof shown) => some.filter(({ key }) => hiding.includes(key))
  assert.deepEqual(counts(await naming(lists, applicationId)), counts(shown))
})
