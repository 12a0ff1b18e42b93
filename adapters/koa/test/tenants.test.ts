import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Cast, openCast, unknownLike } from './cast.ts'
import { comparable } from './client.ts'

describe('an id that is another’s tells nothing, though others are one’s own', () => {
  let world: Cast
  before(async () => {
    world = await openCast()
  })
  after(() => world.close())

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
