import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes } from '../index.ts'
import { ask, type Cast, openCast, unknownIds, unknownLike } from './cast.ts'
import type { Answered } from './client.ts'
import { keyOf, type Sample, sampleOf } from './requests.ts'

/** An answer without what differs between any two. */
function comparable({ status, headers, text, json }: Answered): unknown {
  const { date: _, 'x-request-id': requestId, 'x-ratelimit-remaining': __, ...rest } = headers
  return { status, rest, text: text.replaceAll(String(json.requestId), '') }
}

describe('another’s id answers byte for byte like an unknown one', () => {
  let world: Cast
  before(async () => {
    world = await openCast()
  })
  after(() => world.close())

  const withIds = routes.filter(
    // Staff belongs to no tenant: what it names is unknown or there.
    ({ path, auth, host }) =>
      host !== 'staff' && auth !== 'none' && (path.includes(':') || path === '/v1/review-events'),
  )
  for (const row of withIds)
    test(keyOf(row), async () => {
      const sample = await sampleOf(row, world)
      const unknown: Sample = {
        ...sample,
        ids: unknownIds(sample),
        query: sample.query?.replace(/=(.*)$/, (_, id: string) => `=${unknownLike(id)}`) ?? '',
      }
      const untouched = world.contents()
      const applications = [world.away.app, world.sibling]
      const strangers =
        row.host === 'portal'
          ? [world.away.admin]
          : applications.map((each) => (row.auth === 'customerKey' ? each.ingest : each))
      for (const as of strangers) {
        const [foreign, nowhere] = [
          await ask(world, row, sample, { as }),
          await ask(world, row, unknown, { as }),
        ]
        assert.equal(foreign.status, 404, foreign.text)
        assert.deepEqual(comparable(foreign), comparable(nowhere))
      }
      // In the sandbox, what lies at home is another tenant's.
      if (row.method === 'GET' && row.host === 'portal') {
        const headers = { 'x-service-sandbox': 'true' }
        const as = world.home.admin
        const [athome, nowhere] = [
          await ask(world, row, sample, { as, headers }),
          await ask(world, row, unknown, { as, headers }),
        ]
        assert.equal(athome.status, 404, athome.text)
        assert.deepEqual(comparable(athome), comparable(nowhere))
      }
      assert.equal(world.contents(), untouched)
      assert.deepEqual(world.incidents, [])
    })

  test('one id of ours does not open the rest of a path', async () => {
    const { home, away, call } = world
    const key = await call({
      host: 'portal',
      method: 'DELETE',
      path: `/v1/applications/${away.app.applicationId}/application-keys/${home.app.keyId}`,
      as: away.admin,
    })
    assert.equal(key.status, 404)
    const replay = await call({
      host: 'portal',
      method: 'POST',
      path: `/v1/webhooks/${away.webhookId}/deliveries/${unknownLike('evt_1')}/replay`,
      as: away.admin,
      body: {},
    })
    assert.equal(replay.status, 404)
  })

  test('an id in a body tells nothing either', async () => {
    const { home, away, reviewer, opened, call } = world
    const review = await opened(home.app)
    await call({
      host: 'portal',
      method: 'POST',
      path: `/v1/review-cases/${review.reviewCaseId}/claim`,
      as: reviewer,
      body: {},
    })
    const reassign = async (reviewerId: string) =>
      call({
        host: 'portal',
        method: 'POST',
        path: `/v1/review-cases/${review.reviewCaseId}/reassign`,
        as: reviewer,
        body: { caseVersion: 2, reviewerId },
      })
    const stranger = away.admin.actor.memberId
    const [foreign, nowhere] = [await reassign(stranger), await reassign(unknownLike(stranger))]
    assert.equal(foreign.json.code, 'reviewer_not_eligible')
    assert.deepEqual(comparable(foreign), comparable(nowhere))
  })
})
