import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CaseTag, formatCaseTag, parseIfMatch } from '../etag.ts'
import type { Asked } from './client.ts'
import { openWorld, type World } from './world.ts'

/** What an erasure leaves of the texts of a case. */
const erasedTexts = {
  ...{ sealedTexts: null, presentation: null, policyResults: [], followUps: [] },
  ...{ reviewerComment: null, response: null, continuation: null },
  nonces: null,
}

describe('the version that a caller saw', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  async function claimedCase() {
    const { reviewCaseId } = await world.opened(world.home.app)
    const answer = await post(reviewCaseId, 'claim', {})
    return { reviewCaseId, answer, caseVersion: Number(answer.json.caseVersion) }
  }

  function post(reviewCaseId: string, act: string, body: object, headers: Asked['headers'] = {}) {
    return world.call({
      host: 'portal',
      method: 'POST',
      path: `/v1/review-cases/${reviewCaseId}/${act}`,
      as: world.reviewer,
      body,
      headers,
    })
  }

  test('every answer with a case bears its tag, on both hosts', async () => {
    const { reviewCaseId, answer } = await claimedCase()
    assert.equal(answer.headers.etag, '"2.2"')
    const path = `/v1/review-cases/${reviewCaseId}`
    const { reviewer, home } = world
    const [seen, own] = [
      await world.call({ host: 'portal', method: 'GET', path, as: reviewer }),
      await world.call({ host: 'ingest', method: 'GET', path, as: home.app }),
    ]
    assert.deepEqual([seen.headers.etag, own.headers.etag], ['"2.2"', '"2.2"'])
    assert.deepEqual(
      [seen.headers['cache-control'], own.headers['cache-control']],
      ['no-store', 'no-store'],
    )
  })

  test('an erased case has another tag than before, so that no kept answer is taken for it', async () => {
    const { reviewCaseId, caseVersion, answer } = await claimedCase()
    const { presentationDigest } = answer.json
    const decision = { caseVersion, presentationDigest, decision: 'approved' }
    const decided = await post(reviewCaseId, 'decide', decision)
    const path = `/v1/review-cases/${reviewCaseId}`
    const read = () =>
      world.call({
        host: 'portal',
        method: 'GET',
        path,
        as: world.reviewer,
        headers: { 'if-none-match': decided.headers.etag ?? '' },
      })
    assert.equal((await read()).status, 304)
    await world.alter('reviewCases', { reviewCaseId }, erasedTexts)
    const erased = await read()
    assert.deepEqual([erased.status, erased.json.presentation], [200, null])
    assert.equal(erased.headers.etag, '"3.3.erased"')
    assert.deepEqual(parseIfMatch('"3.3.erased"'), { caseVersion: 3, eventSequence: 3 })
  })

  test('an older caseVersion is 409 and an older tag 412, each with the current case', async () => {
    const { reviewCaseId } = await claimedCase()
    const untouched = world.contents()
    const question = { question: 'Why?' }
    const conflict = await post(reviewCaseId, 'follow-up', { ...question, caseVersion: 1 })
    assert.deepEqual([conflict.status, conflict.json.code], [409, 'version_conflict'])
    const failed = await post(reviewCaseId, 'follow-up', question, { 'if-match': '"1.1"' })
    assert.deepEqual([failed.status, failed.json.code], [412, 'precondition_failed'])
    for (const { json } of [conflict, failed]) {
      const current = json.case as { readonly caseVersion: number; readonly state: string }
      assert.deepEqual([current.caseVersion, current.state], [2, 'open'])
    }
    assert.equal(world.contents(), untouched)
  })

  test('If-Match goes before the body, and both before what the state refuses', async () => {
    const { reviewCaseId, caseVersion } = await claimedCase()
    const question = { question: 'Why?' }
    // The body is stale, the tag is not: the tag decides.
    const asked = await post(
      reviewCaseId,
      'follow-up',
      { ...question, caseVersion: 1 },
      { 'if-match': `"${caseVersion}.2"` },
    )
    assert.equal(asked.status, 200)
    const decision = {
      presentationDigest: asked.json.presentationDigest,
      decision: 'approved',
      caseVersion: 3,
    }
    assert.equal((await post(reviewCaseId, 'decide', decision)).status, 200)
    // The tag is stale, and a closed case takes no question besides.
    const again = await post(reviewCaseId, 'follow-up', question, { 'if-match': '"3.3"' })
    assert.equal(again.status, 412)
    const invalid = await post(reviewCaseId, 'follow-up', { ...question, caseVersion: 4 })
    assert.deepEqual([invalid.status, invalid.json.code], [409, 'invalid_transition'])
  })

  test('a tag that is none of ours matches nothing, and an unknown case is 404 before it', async () => {
    const { reviewCaseId } = await claimedCase()
    const question = { question: 'Why?' }
    for (const tag of ['W/"2.2"', '2.2', '"2"', '"2.2", "3.3"', '"02.2"', '"0.0"', '"x"']) {
      const answer = await post(reviewCaseId, 'follow-up', question, { 'if-match': tag })
      assert.equal(answer.status, 412, tag)
      const unknown = await post(`rc_${'0'.repeat(26)}`, 'follow-up', question, { 'if-match': tag })
      assert.equal(unknown.status, 404, tag)
    }
  })

  test('* asks for nothing but the case: the version comes from the body', async () => {
    const { reviewCaseId } = await claimedCase()
    const question = { question: 'Why?' }
    const any = { 'if-match': ' * ' }
    const unknown = await post(
      `rc_${'0'.repeat(26)}`,
      'follow-up',
      { ...question, caseVersion: 2 },
      any,
    )
    assert.equal(unknown.status, 404)
    const none = await post(reviewCaseId, 'follow-up', question, any)
    assert.deepEqual([none.status, none.json.code], [400, 'invalid_request'])
    const stale = await post(reviewCaseId, 'follow-up', { ...question, caseVersion: 1 }, any)
    assert.deepEqual([stale.status, stale.json.code], [409, 'version_conflict'])
    const asked = await post(reviewCaseId, 'follow-up', { ...question, caseVersion: 2 }, any)
    assert.equal(asked.status, 200)
    const { reviewCaseId: unclaimed } = await world.opened(world.home.app)
    assert.equal((await post(unclaimed, 'claim', {}, any)).status, 200)
  })

  test('a route without versions passes over If-Match', async () => {
    const { reviewCaseId } = await claimedCase()
    const headers = { 'if-match': '"99.99"' }
    const cancelled = await world.call({
      host: 'ingest',
      method: 'POST',
      path: `/v1/review-cases/${reviewCaseId}/cancel`,
      as: world.home.app,
      body: { reasonCategory: 'end_user_cancelled' },
    })
    assert.equal(cancelled.status, 200)
    const reported = await world.call({
      host: 'ingest',
      method: 'POST',
      path: `/v1/review-cases/${reviewCaseId}/continuation`,
      as: world.home.app,
      body: { outcome: 'terminated' },
      headers,
    })
    const read = await world.call({
      host: 'ingest',
      method: 'GET',
      path: `/v1/review-cases/${reviewCaseId}`,
      as: world.home.app,
      headers,
    })
    const replayed = await post(reviewCaseId, 'callback/replay', {}, headers)
    assert.deepEqual([reported.status, read.status], [200, 200])
    assert.deepEqual([replayed.status, replayed.json.code], [409, 'callback_not_configured'])
  })

  test('one of the two must be sent', async () => {
    const { reviewCaseId } = await claimedCase()
    const answer = await post(reviewCaseId, 'follow-up', { question: 'Why?' })
    const [fault] = answer.json.errors as readonly { code: string; pointer: string }[]
    assert.deepEqual(
      [answer.status, fault?.code, fault?.pointer],
      [400, 'required', '/caseVersion'],
    )
  })

  test('a decision is refused by another’s hand, at another’s digest, and after its time', async () => {
    const { reviewCaseId, caseVersion, answer } = await claimedCase()
    const decision = {
      caseVersion,
      presentationDigest: answer.json.presentationDigest,
      decision: 'approved',
    }
    const other = await post(reviewCaseId, 'decide', {
      ...decision,
      presentationDigest: '0'.repeat(64),
    })
    assert.deepEqual([other.status, other.json.code], [409, 'presentation_changed'])
    const taken = await world.call({
      host: 'portal',
      method: 'POST',
      path: `/v1/review-cases/${reviewCaseId}/claim`,
      as: world.second,
      body: {},
    })
    assert.deepEqual([taken.status, taken.json.code], [409, 'already_assigned'])
    await world.clock.advance(7 * 24 * 3_600_000)
    const login = await world.call({
      host: 'portal',
      method: 'POST',
      path: '/v1/auth/login',
      body: { email: world.reviewer.email, password: 'correct horse battery' },
    })
    const cookie = String(login.json.token)
    const late = await world.call({
      host: 'portal',
      method: 'POST',
      path: `/v1/review-cases/${reviewCaseId}/decide`,
      as: { ...world.reviewer, cookie },
      body: decision,
    })
    assert.deepEqual([late.status, late.json.code], [409, 'case_expired'])
    const read = await world.call({
      host: 'ingest',
      method: 'GET',
      path: `/v1/review-cases/${reviewCaseId}`,
      as: world.home.app,
    })
    assert.deepEqual([read.json.state, read.json.decision], ['expired', 'expired'])
  })
})

test('a tag says the same when it comes back', () => {
  const tags: readonly CaseTag[] = [
    { caseVersion: 1, eventSequence: 1 },
    { caseVersion: 12, eventSequence: 345 },
  ]
  for (const tag of tags) assert.deepEqual(parseIfMatch(formatCaseTag(tag)), tag)
  assert.equal(parseIfMatch(''), null)
})
