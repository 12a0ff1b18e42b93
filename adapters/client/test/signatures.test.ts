import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import {
  askedDigest,
  challengeOf,
  type DecisionStatement,
  faultOfOutcome,
  type Reviewers,
  resumeTokenDigest,
  saltedDigest,
  statementOf,
  usualMaxAgeMs,
  verifySignedBytes,
} from '@countersign/core/webauthn'
import { ApiError, type SignatureCheck } from '../index.ts'
import { asked, calledBack, playedService, resultOf } from './played-service.ts'
import { refusal } from './support.ts'

const rpId = 'portal.example.com'
const origin = `https://${rpId}`
const authenticator = createSoftwareAuthenticator({ algorithm: 'EdDSA', rpId, origin })
const { credentialId: kid, publicKey } = authenticator
const pinned: Reviewers = {
  rpId,
  origins: [origin],
  keys: [{ ...publicKey, kid, memberId: 'ada' }],
}
const pinning = (maxAgeMs: number): SignatureCheck => ({
  faultOf: (outcome, document, times) =>
    faultOfOutcome(
      outcome,
      { ...document, tenantId: 'ten', applicationId: 'app' },
      times,
      { ...pinned, maxAgeMs },
      verifySignedBytes,
    ),
})

/** Of the clock of `decided`, which begins at 0. */
const at = (ms: number) => new Date(ms).toISOString()

const harmless = { action: 'pay', amount: '1 EUR' }
const responseNonce = 'bm9uY2Utb2YtYS1yZXNwb25zZQ'

function signatureOf(change: Partial<DecisionStatement> = {}) {
  const statement = {
    ...statementOf(
      {
        ...{ tenantId: 'ten', applicationId: 'app', sessionId: 's', checkpointId: 'c' },
        ...{ reviewCaseId: 'rc_c', caseVersion: 1, memberId: 'ada', decision: 'approved' },
        ...{ resumeTokenDigest: null, commentDigest: null, responseDigest: null },
        askedDigest: askedDigest(asked.presentation),
        presentationDigest: 'd'.repeat(64),
      },
      { issuedAt: at(0), nonce: 'bm9uY2U' },
    ),
    ...change,
  }
  const made = authenticator.assert({ challenge: challengeOf(statement) })
  const isAnswered = statement.responseDigest !== null
  return { statement, responseNonce: isAnswered ? responseNonce : null, publicKey, ...made }
}

interface Decided {
  /** Of the case, beside its ids. */
  readonly more?: object
  /** Of the callback. */
  readonly called?: object
  readonly isCalledBack?: boolean
  readonly decision?: 'approved' | 'rejected' | 'response_submitted' | 'cancelled'
  /** Of the service, once it called back. */
  readonly awayMs?: number
  readonly maxAgeMs?: number
  /** What is asked beside the presentation. */
  readonly ask?: object
}

/** Asks, and has the case decided so after a minute, told by a callback where that is asked for. */
async function decided(
  decisionSignature: unknown,
  {
    more = {},
    called: told = {},
    isCalledBack = false,
    decision = 'approved',
    ask = {},
    awayMs = 0,
    maxAgeMs = usualMaxAgeMs,
  }: Decided = {},
) {
  let awayUntil = 0
  const { client, clock, outcome, change, cases } = playedService(({ method }) =>
    method === 'GET' && clock.now() < awayUntil
      ? { answer: refusal('unavailable', 503), acts: false }
      : null,
  )
  clock.after(60_000, () => {
    const ids = { tenantId: 'ten', applicationId: 'app', presentationDigest: 'd'.repeat(64) }
    if (decision === 'cancelled') change('rc_c', { state: 'cancelled', decision, ...ids })
    else {
      const own = { ...ids, decidedBy: 'ada', decisionSignature }
      change('rc_c', { state: 'decided', decision, ...own, ...more })
    }
    const called = {
      ...calledBack,
      decision: decision as 'approved',
      caseVersion: 2,
      response: null,
      ...told,
    }
    if (isCalledBack) client.reviewCases.settle(called)
    awayUntil = clock.now() + awayMs
  })
  const reviewers = pinning(maxAgeMs)
  const done = await outcome(client.reviewCases.request({ ...asked, ...ask }, { reviewers }))
  assert.ok(cases.has('rc_c'))
  return done
}

describe('request with reviewers', () => {
  it('ends with its signal where the check never does', async () => {
    const { client, clock, decide, outcome } = playedService()
    const left = new AbortController()
    const reviewers: SignatureCheck = {
      faultOf: () => {
        left.abort(new Error('left'))
        return new Promise(() => {})
      },
    }
    clock.after(1_000, () => decide('rc_c', 'approved'))
    const { signal } = left
    const done = await outcome(client.reviewCases.request(asked, { reviewers, signal }))
    assert.equal('error' in done && done.error, signal.reason)
  })

  it('resolves to what a pinned key signed, however it was told', async () => {
    for (const isCalledBack of [false, true]) {
      const { approved } = resultOf(await decided(signatureOf(), { isCalledBack }))
      assert.equal(approved, true)
    }
  })

  it('resolves to the answer, the member and the case that were signed, whatever a callback told', async () => {
    const response = { limit: 5 }
    const signature = signatureOf({
      decision: 'response_submitted',
      responseDigest: saltedDigest(responseNonce, response),
    })
    for (const isCalledBack of [false, true]) {
      const { approved, ...outcome } = resultOf(
        await decided(signature, {
          ...{ isCalledBack, decision: 'response_submitted' },
          more: { response, caseVersion: 2 },
          called: {
            response: { limit: 5_000_000 },
            presentationDigest: 'e'.repeat(64),
            caseVersion: 7,
          },
        }),
      )
      assert.equal(approved, false)
      assert.deepEqual(outcome.response, response)
      assert.deepEqual(
        [outcome.decidedBy, outcome.caseVersion, outcome.presentationDigest],
        ['ada', 2, 'd'.repeat(64)],
      )
    }
  })

  it('resolves to what was signed for the resume token that was given', async () => {
    const signature = signatureOf({ resumeTokenDigest: resumeTokenDigest('token') })
    const { approved } = resultOf(await decided(signature, { ask: { resumeToken: 'token' } }))
    assert.equal(approved, true)
  })

  it('tells the end of a case that nobody signs', async () => {
    assert.equal(resultOf(await decided(null, { decision: 'cancelled' })).decision, 'cancelled')
  })

  const forgeries: Record<string, Parameters<typeof decided>> = {
    'no signature': [null],
    'a signed rejection': [signatureOf({ decision: 'rejected' })],
    'an approval of something else': [signatureOf({ askedDigest: 'a'.repeat(64) })],
    'an approval at another checkpoint': [signatureOf({ checkpointId: 'd' })],
    'a checkpoint that the service tells otherwise': [
      signatureOf({ checkpointId: 'd' }),
      { more: { checkpoint: { checkpointId: 'd' } } },
    ],
    'an approval for another resume token': [signatureOf({ resumeTokenDigest: 'a'.repeat(64) })],
    'a resume token that the service tells otherwise': [
      signatureOf({ resumeTokenDigest: resumeTokenDigest('other') }),
      { ask: { resumeToken: 'token' }, more: { resumeToken: 'other' } },
    ],
    'no resume token where one was given': [
      signatureOf(),
      { ask: { resumeToken: 'token' }, more: { resumeToken: null } },
    ],
    'an AI run that the service tells otherwise': [
      signatureOf({ sessionId: 'other' }),
      { more: { sessionId: 'other' } },
    ],
    'a presentation that the service tells otherwise': [
      signatureOf({ askedDigest: askedDigest(harmless) }),
      { more: { presentation: harmless } },
    ],
    'an approval that the case does not tell': [
      signatureOf(),
      { more: { decision: 'rejected' }, isCalledBack: true },
    ],
    'another member': [signatureOf({ memberId: 'eve' })],
    'a member that the case tells otherwise': [signatureOf(), { more: { decidedBy: 'mallory' } }],
  }
  it('rejects what the member signed for whom it was asked', async () => {
    for (const [requestedBy, isRejected] of [
      ['ada', true],
      ['bob', false],
    ] as const) {
      const done = await decided(signatureOf(), { ask: { requestedBy } })
      assert.equal('error' in done, isRejected)
      if (isRejected) assert.match(String('error' in done && done.error), /requester signed/)
    }
  })

  const late: Record<string, readonly [...Parameters<typeof decided>, RegExp]> = {
    'an approval of long ago': [
      signatureOf({ issuedAt: at(-25 * 60 * 60_000) }),
      {},
      /is approved, signed at 1969-12-30T23:00:00.000Z, more than 86400 s \(maxAgeMs\) before/,
    ],
    'an approval of a time to come': [
      signatureOf({ issuedAt: at(60 * 60_000) }),
      {},
      /signed at 1970-01-01T01:00:00.000Z, after it came at .* by this clock/,
    ],
    'an approval of after the deadline': [
      signatureOf(),
      { ask: { expiresAt: at(-301_000) } },
      /after the deadline/,
    ],
  }
  for (const [name, [signature, how, why]] of Object.entries(late))
    it(`rejects with decision_out_of_time: ${name}`, async () => {
      const done = await decided(signature, how)
      const error = 'error' in done && done.error
      assert.equal(error instanceof ApiError && error.code, 'decision_out_of_time')
      assert.match(String(error), why)
    })

  it('resolves to a rejection whenever it was signed', async () => {
    for (const ms of [-1_000 * 60 * 60_000, 60 * 60_000]) {
      const signature = signatureOf({ decision: 'rejected', issuedAt: at(ms) })
      const { decision } = resultOf(await decided(signature, { decision: 'rejected' }))
      assert.equal(decision, 'rejected')
    }
  })

  it('counts the age until the case was read, whatever a callback brought before', async () => {
    const signature = signatureOf()
    for (const [awayMs, ends] of [
      [0, 'approved'],
      [250_000, 'decision_out_of_time'],
    ] as const) {
      const how = { isCalledBack: true, awayMs, maxAgeMs: 1 }
      const done = await decided(signature, { ...how, called: { decisionSignature: signature } })
      const end = 'error' in done ? (done.error as ApiError).code : resultOf(done).decision
      assert.equal(end, ends)
    }
  })

  for (const [name, given] of Object.entries(forgeries))
    it(`rejects with decision_not_signed: ${name}`, async () => {
      const done = await decided(...given)
      assert.equal(
        'error' in done && done.error instanceof ApiError && done.error.code,
        'decision_not_signed',
      )
    })
})
