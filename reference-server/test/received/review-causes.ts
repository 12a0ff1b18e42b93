import assert from 'node:assert/strict'
import type { ReviewEventType } from '@countersign/core/events'
import { type Cause, cancel, claim, decide, open, reviewEvent } from './acts.ts'
import { hour, minute } from './world.ts'

/** What brings the events of review cases about (interface, Transition table). */
export const reviewCauses: { readonly [T in ReviewEventType]: Cause<T> } = {
  'review.case.created': async (world) => {
    const opened = await open(world, await world.application())
    await cancel(world, opened)
    return [reviewEvent(world, opened, 'review.case.created', { at: opened.at, position: [1, 1] })]
  },

  'review.case.assignment_changed': async (world) => {
    const opened = await open(world, await world.application())
    await world.pass(minute)
    const claimedAt = world.clock.now()
    const claimed = await claim(world, opened)
    await world.pass(minute)
    const reviewerId = world.memberIdOf('second')
    const body = { caseVersion: 2, reviewerId }
    await world.portal('reviewer', 'POST', `${opened.path}/reassign`, body)
    const shown = await world.portal('second', 'GET', opened.path)
    await cancel(world, opened)
    const type = 'review.case.assignment_changed'
    return [
      reviewEvent(world, opened, type, {
        ...{ at: claimedAt, position: [2, 2], reasonCategory: 'claimed' },
        presentationDigest: claimed.presentationDigest,
      }),
      reviewEvent(world, opened, type, {
        ...{ at: world.clock.now(), position: [3, 3], reasonCategory: 'reassigned' },
        presentationDigest: shown.presentationDigest,
      }),
    ]
  },

  'review.case.follow_up_required': async (world) => {
    const opened = await open(world, await world.application())
    const { presentationDigest } = await claim(world, opened)
    const body = { caseVersion: 2, question: 'To whom?' }
    await world.portal('reviewer', 'POST', `${opened.path}/follow-up`, body)
    await cancel(world, opened)
    return [
      reviewEvent(world, opened, 'review.case.follow_up_required', {
        ...{ at: world.clock.now(), position: [3, 3], decision: 'follow_up_required' },
        presentationDigest,
      }),
    ]
  },

  'review.case.decided': async (world) => {
    const app = await world.application()
    const told = []
    for (const decision of ['approved', 'rejected', 'response_submitted']) {
      const opened = await open(world, app)
      const { presentationDigest } = await decide(world, opened, decision)
      const said = {
        at: world.clock.now(),
        position: [3, 3],
        decision,
        presentationDigest,
      } as const
      told.push(reviewEvent(world, opened, 'review.case.decided', said))
    }
    return told
  },

  'review.case.cancelled': async (world) => {
    const app = await world.application()
    const [byApplication, byAdmin] = [await open(world, app), await open(world, app)]
    await cancel(world, byApplication)
    const safer = { caseVersion: 1, reasonCategory: 'safer_alternative_completed' }
    await world.portal('admin', 'POST', `${byAdmin.path}/cancel`, safer)
    return [
      [byApplication, 'end_user_cancelled'] as const,
      [byAdmin, 'safer_alternative_completed'] as const,
    ].map(([opened, reasonCategory]) =>
      reviewEvent(world, opened, 'review.case.cancelled', {
        ...{ at: world.clock.now(), position: [2, 2], decision: 'cancelled', reasonCategory },
      }),
    )
  },

  'review.case.expired': async (world) => {
    const opened = await open(world, await world.application())
    await world.pass(5 * hour)
    // It was overdue before.
    return [
      reviewEvent(world, opened, 'review.case.expired', {
        ...{ at: opened.at + 4 * hour, position: [3, 3] },
        ...{ decision: 'expired', reasonCategory: 'expired' },
      }),
    ]
  },

  'review.case.overdue': async (world) => {
    const opened = await open(world, await world.application())
    await world.pass(hour)
    await cancel(world, opened)
    return [
      reviewEvent(world, opened, 'review.case.overdue', {
        ...{ at: opened.at + 30 * minute, position: [2, 2], reasonCategory: 'overdue' },
      }),
    ]
  },

  'review.continuation.acknowledged': async (world) => {
    const app = await world.application()
    const opened = await open(world, app)
    const { presentationDigest } = await decide(world, opened)
    const told = []
    for (const [at, outcome] of ['remained_paused', 'resumed'].entries()) {
      await world.pass(minute)
      await world.ingest(app.key, 'POST', `${opened.path}/continuation`, { outcome })
      told.push(
        reviewEvent(world, opened, 'review.continuation.acknowledged', {
          ...{ at: world.clock.now(), position: [3, 4 + at], decision: 'approved' },
          ...{ reasonCategory: outcome, presentationDigest },
        }),
      )
    }
    return told
  },

  'review.continuation.delivery_failed': async (world) => {
    const app = await world.application()
    const callback = { url: `${world.origin}/outcomes`, enabled: true }
    const path = `/v1/applications/${app.applicationId}/outcome-callback`
    await world.portal('admin', 'PUT', path, callback)
    const opened = await open(world, app)
    await cancel(world, opened)
    await world.pass(22 * hour)
    const tried = world.arrivals.filter((arrival) => arrival.path === '/outcomes')
    assert.equal(tried.length, 7)
    const { callback: state } = await world.ingest(app.key, 'GET', opened.path)
    assert.deepEqual([state.state, state.attempts], ['failed', 7])
    // Opened, cancelled, a step for each attempt, and one for giving up.
    return [
      reviewEvent(world, opened, 'review.continuation.delivery_failed', {
        ...{ at: tried.at(-1)?.at ?? 0, position: [2, 2 + 7 + 1] },
        ...{ decision: 'cancelled', reasonCategory: 'callback_delivery_failed' },
      }),
    ]
  },
}
