import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'
import { makeCall } from './client-call.ts'
import { callRow, clientRows } from './client-rows.ts'
import { keyOf } from './requests.ts'
import { openWorld, password } from './world.ts'

describe('the typed client calls every operation of the real app', () => {
  for (const row of clientRows) test(keyOf(row), () => callRow(row, makeCall))
})

test('a member logs in, goes through lists and decides a case', async () => {
  const world = await openWorld()
  try {
    const { home, reviewer, ports, opened } = world
    for (let i = 0; i < 3; i++) await opened(home.app, { sessionId: `ses_${i}` })
    const portal = createPortalClient({ portalUrl: `http://127.0.0.1:${ports.portal}` })
    await portal.auth.login({ email: reviewer.email, password })
    const ids: string[] = []
    for await (const { reviewCaseId } of portal.reviewCases.list({ state: 'open' }))
      ids.push(reviewCaseId)
    assert.equal(new Set(ids).size, 3)
    const [reviewCaseId = ''] = ids
    const seen = await portal.reviewCases.claim({ reviewCaseId })
    assert.equal(await portal.reviewCases.read({ case: seen }), seen)
    const presentationDigest = seen.presentationDigest ?? ''
    const decision = { presentationDigest, decision: 'approved' } as const
    await portal.reviewCases.requestFollowUp({ case: seen, question: 'Who ordered this?' })
    await assert.rejects(
      portal.reviewCases.decide({ case: seen, ...decision }),
      (error) =>
        error instanceof ApiError &&
        error.code === 'precondition_failed' &&
        error.case?.caseVersion === seen.caseVersion + 1,
    )
    const now = await portal.reviewCases.read({ reviewCaseId })
    assert.equal((await portal.reviewCases.decide({ case: now, ...decision })).state, 'decided')
  } finally {
    await world.close()
  }
})
