import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coseAlgorithms } from '@countersign/conformance/authenticator'
import { askedDigest } from '@countersign/core/webauthn'
import { isApproved, memoryInbox } from '@countersign/receiver-kit'
import {
  createSignedOutcomeHandler,
  type PinnedReviewers,
  pinReviewers,
  type ReviewerKey,
} from '@countersign/receiver-kit/reviewers'
import { createTestSigner } from '@countersign/receiver-kit/testing'
import { ada, eve, pinned, received, withMember } from './received.ts'
import {
  asked,
  createReviewer,
  type Forgery,
  origin,
  presentation,
  type Sent,
} from './signed-outcomes.ts'

const algorithms = Object.keys(coseAlgorithms) as (keyof typeof coseAlgorithms)[]

describe('an outcome that its reviewer signed', () => {
  for (const algorithm of algorithms)
    it(`approves by a pinned key of ${algorithm}`, async () => {
      const reviewer = createReviewer(algorithm)
      const found = await received(reviewer.send(reviewer.outcome()), { keys: [reviewer.key] })
      assert.equal(found.status, 204)
      assert.deepEqual([found.turn?.approved, found.turn?.problem], [true, null])
      assert.equal(found.problem, undefined)
    })

  it('may be held to a digest, and its key found by a function', async () => {
    const sought: string[][] = []
    const { turn } = await received(ada.send(ada.outcome()), {
      expected: async () => ({ ...asked, presentation: askedDigest(presentation) ?? '' }),
      keys: async (...of) => {
        sought.push(of)
        return ada.key
      },
    })
    assert.equal(turn?.approved, true)
    assert.deepEqual(sought, [[ada.key.kid, ada.memberId]])
  })

  it('has a response that was signed, and does not approve by a rejection', async () => {
    const answered = ada.outcome({ decision: 'response_submitted', response: { days: 3 } })
    const { turn } = await received(ada.send(answered))
    assert.deepEqual([turn?.approved, turn?.problem], [false, null])
    assert.deepEqual(turn?.problem === null && turn.outcome.response, { days: 3 })
    const rejected = await received(ada.send(ada.outcome({ decision: 'rejected' })))
    assert.deepEqual([rejected.turn?.approved, rejected.turn?.problem], [false, null])
  })

  it('that nobody decided is passed on unsigned', async () => {
    for (const decision of ['cancelled', 'expired'] as const) {
      const ended = {
        ...ada.outcome({ decision, presentationDigest: null, response: { pay: true } }),
        ...{ approved: true, decisionSignature: null },
      }
      const { turn, problem } = await received(ended)
      assert.deepEqual([turn?.approved, turn?.problem, problem], [false, null, undefined])
      if (turn?.problem !== null) assert.fail(String(turn?.problem))
      assert.equal(turn.outcome.decision, decision)
      // What nobody decided is no response, and what others added is nobody's word.
      assert.equal(turn.outcome.response, null)
      assert.equal('approved' in turn.outcome || 'decisionSignature' in turn.outcome, false)
    }
  })
})

const other = '1e'.repeat(32)
const rights = ada.outcome()

/** With every key and the database of the service in hand; the reviewer's authenticator alone is out of reach. */
const attacks: Record<
  string,
  readonly [sent: Sent, why: RegExp, reviewers?: Partial<PinnedReviewers>]
> = {
  'no signature': [{ ...rights, decisionSignature: null }, /got none/],
  'text for a signature': [{ ...rights, decisionSignature: 'signed' }, /got none/],
  'a signature without its members': [{ ...rights, decisionSignature: {} }, /statement/],
  'a key of the service’s own, in the body': [eve.send(rights), /pinned/],
  'a signature by another key under the reviewer’s credential': [
    withMember(eve.send(rights), { credentialId: ada.key.kid }),
    /^signature/,
  ],
  'the statement of another member': forged({ statement: { memberId: 'mem_eve' } }, /pinned/),
  'a signed statement of another member': forged({ signed: { memberId: 'mem_eve' } }, /pinned/),
  'a signed approval of another case': forged(
    { signed: { reviewCaseId: 'rc_other' } },
    /^expected: .*reviewCaseId/,
  ),
  'a signed approval of another version': forged({ signed: { caseVersion: 7 } }, /caseVersion/),
  'a signed approval at another checkpoint': forged(
    { signed: { checkpointId: 'step_other' } },
    /checkpointId/,
  ),
  'a signed approval in another AI run': forged(
    { signed: { sessionId: 'ses_other' } },
    /sessionId/,
  ),
  'a signed approval for another application': forged(
    { signed: { applicationId: 'app_other' } },
    /applicationId/,
  ),
  'a signed approval in another organization': forged(
    { signed: { tenantId: 'ten_other' } },
    /tenantId/,
  ),
  'a signed approval for another resume token': forged(
    { signed: { resumeTokenDigest: other } },
    /resumeTokenDigest/,
  ),
  'a signed approval without a resume token': forged(
    { signed: { resumeTokenDigest: null } },
    /resumeTokenDigest/,
  ),
  'a signed approval of something harmless': forged(
    { signed: { askedDigest: askedDigest({ action: 'read' }) } },
    /askedDigest/,
  ),
  'a signed approval of a policy’s case': forged({ signed: { askedDigest: null } }, /askedDigest/),
  'something harmless that was drawn': forged(
    { signed: { presentationDigest: other } },
    /presentationDigest/,
  ),
  'a signed rejection': forged({ signed: { decision: 'rejected' } }, /decision/),
  'a signed rejection whose statement is changed': forged(
    { signed: { decision: 'rejected' }, statement: { decision: 'approved' } },
    /^challenge/,
  ),
  'a body of another checkpoint': forged(
    { outcome: { checkpointId: 'step_other' } },
    /checkpointId/,
  ),
  'a body of another case': forged({ outcome: { reviewCaseId: 'rc_other' } }, /reviewCaseId/),
  'a body with another resume token': forged(
    { outcome: { resumeToken: 'another' } },
    /^asked: .*resumeToken/,
  ),
  'a body with a response that nobody gave': forged(
    { outcome: { response: { pay: 'more' } } },
    /responseDigest/,
  ),
  'a body for another application': forged(
    { outcome: { applicationId: 'app_other' } },
    /applicationId/,
  ),
  'a statement whose time is changed': forged(
    { statement: { issuedAt: '2026-02-01T00:00:00.000Z' } },
    /^challenge/,
  ),
  'a signed approval of no time': forged({ signed: { issuedAt: 'then' } }, /^statement/),
  'a statement with a member more': forged({ statement: { extra: true } as never }, /^statement/),
  'a statement of another version': forged(
    { signed: { statementVersion: '2.0' as never } },
    /^statement/,
  ),
  'a sign-in whose challenge is another': forged(
    { assertion: { challenge: 'c2lnbi1pbg' } },
    /^challenge/,
  ),
  'a registration': forged({ assertion: { type: 'webauthn.create' } }, /^type/),
  'a page of another origin': forged(
    { assertion: { origin: 'https://portal.example.net' } },
    /^origin/,
  ),
  'a page of another relying party': forged({ assertion: { rpId: 'example.net' } }, /^rp_id/),
  'a frame': forged({ assertion: { client: { crossOrigin: true } } }, /^cross_origin/),
  'a user who was not verified': forged({ assertion: { flags: 1 } }, /^user_verified/),
  'nobody at the authenticator': forged({ assertion: { flags: 4 } }, /^user_present/),
  'another key in the body': forged({ signature: { publicKey: eve.key } }, /pinned/, { keys: [] }),
  'a revoked key': forged({}, /pinned/, {
    keys: [{ ...ada.key, until: '2026-01-01T00:00:00.000Z' }],
  }),
  'a key that the application no longer finds': forged({}, /pinned/, { keys: async () => null }),
  'a revoked key that the application finds': forged({}, /pinned/, {
    keys: async () => ({ ...ada.key, until: '2026-01-01T00:00:00.000Z' }),
  }),
  'the key of another member that the application finds': forged({}, /pinned/, {
    keys: async () => ({ ...ada.key, memberId: 'mem_eve' }),
  }),
  'the key of another credential that the application finds': forged({}, /pinned/, {
    keys: async () => ({ ...ada.key, kid: eve.key.kid }),
  }),
  // The requester signed it, and the service told their page that they are another member.
  'a key that the application finds without its member': forged(
    { signed: { memberId: 'mem_other' } },
    /pinned .*kid and memberId/,
    {
      keys: async () => withoutMember('memberId'),
      expected: async () => ({ ...asked, requestedBy: 'mem_ada' }),
    },
  ),
  'a key that the application finds without its credential': forged({}, /pinned .*kid and/, {
    keys: async () => withoutMember('kid'),
  }),
  'the key of a member, pinned for another': forged({}, /pinned/, {
    keys: [{ ...ada.key, memberId: 'mem_eve' }],
  }),
  'an elliptic key as one of RSA': forged({}, /^algorithm/, {
    keys: async () => ({ ...eve.key, kid: ada.key.kid, kty: 'RSA', alg: 'RS256' }),
  }),
  'a case that was never asked for': forged({}, /nothing was/, { expected: async () => null }),
  'something else that was asked': forged({}, /askedDigest/, {
    expected: async () => ({ ...asked, presentation: { ...presentation, amount: '1 EUR' } }),
  }),
  // The body and the statement say the same: the service showed the reviewer another token than was given.
  'a signed approval with a token that was never given': [
    ada.send(ada.outcome({ resumeToken: 'token of another action' })),
    /^asked: .*resumeToken/,
  ],
  'a signed approval without the token that was given': [
    ada.send(ada.outcome({ resumeToken: null })),
    /^asked: .*resumeToken/,
  ],
  'a signed approval of an AI run that was not asked about': [
    ada.send(ada.outcome({ sessionId: 'ses_other' })),
    /^asked: .*sessionId/,
  ],
  'a signed approval at a checkpoint that was not asked about': [
    ada.send(ada.outcome({ checkpointId: 'step_other' })),
    /^asked: .*checkpointId/,
  ],
  'a signed approval of a case of another application': [
    ada.send(ada.outcome({ applicationId: 'app_sandbox' })),
    /^asked: .*applicationId/,
  ],
  'a signed approval of a case of another organization': [
    ada.send(ada.outcome({ tenantId: 'ten_other' })),
    /^asked: .*tenantId/,
  ],
  'a signed approval by whom it was asked for': forged({}, /requester/, {
    expected: async () => ({ ...asked, requestedBy: 'mem_ada' }),
  }),
  'a response without a canonical form': [
    ada.send(rights, { outcome: { response: { text: '\ud800' } } }),
    /^form: .*surrogate/,
  ],
  'a response without its nonce': [
    withMember(ada.send(rights, { outcome: { response: { text: 'x' } } }), {
      responseNonce: undefined,
    }),
    /^form: /,
  ],
  'an id of a credential that is none': [
    withMember(ada.send(ada.outcome()), { credentialId: { toString: 1, valueOf: 1 } }),
    /id of a credential/,
  ],
  'an id of a credential that no database takes': [
    withMember(ada.send(rights), { credentialId: 'a\u0000' }),
    /id of a credential in base64url/,
    { keys: unsought },
  ],
  'an id of a credential that is longer than any': [
    withMember(ada.send(rights), { credentialId: 'a'.repeat(1_365) }),
    /id of a credential/,
    { keys: unsought },
  ],
  'a member whom no database takes': forged(
    { signed: { memberId: 'mem_\u0000' } },
    /statement of a member/,
    { keys: unsought },
  ),
  'a question of half a character': questioned({ action: '\ud800' }),
  'a question with a number that has no JSON': questioned({ amount: 1n }),
  'a question that is too deep': questioned(JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`)),
  'a question that is a list': questioned([presentation] as never, /askedDigest|presentation/),
  'a question whose token is not said': forged({}, /^asked: .*resumeToken/, {
    expected: async () => ({ ...asked, resumeToken: undefined }) as never,
  }),
  'a question that is the presentation alone': forged({}, /^asked: /, {
    expected: async () => presentation as never,
  }),
  'a question without a presentation': forged({}, /^asked: .*presentation/, {
    expected: async () => ({ ...asked, presentation: undefined }) as never,
  }),
  'a question that is not found, as undefined': forged({}, /nothing was/, {
    expected: async () => undefined as never,
  }),
  'a synced key where that is refused': forged({ assertion: { flags: 5 | 8 } }, /^synced/, {
    refuseSynced: true,
  }),
}

function forged(
  forgery: Forgery,
  why: RegExp,
  reviewers?: Partial<PinnedReviewers>,
): (typeof attacks)[string] {
  return reviewers ? [ada.send(rights, forgery), why, reviewers] : [ada.send(rights, forgery), why]
}

/** Ada's key as a function may yield that keeps whose it is elsewhere. */
function withoutMember(name: 'kid' | 'memberId'): ReviewerKey {
  return { ...ada.key, [name]: undefined } as never
}

/** Is asked for no key. */
async function unsought(): Promise<ReviewerKey | null> {
  return assert.fail('a key was sought')
}

/** Where the application's own record of what was asked is this. */
function questioned(
  document: Readonly<Record<string, unknown>>,
  why: RegExp = /^asked: at .*/,
): (typeof attacks)[string] {
  return forged({}, why, { expected: async () => ({ ...asked, presentation: document }) })
}

describe('an approval that the service’s keys made', () => {
  for (const [name, [sent, why, reviewers]] of Object.entries(attacks))
    it(`is acknowledged and approves nothing: ${name}`, async () => {
      const { status, drained, turn, problem } = await received(sent, reviewers)
      assert.equal(status, 204)
      assert.deepEqual(drained, { handled: 1, failed: 0 })
      assert.deepEqual([turn?.approved, turn?.problem], [false, 'not_signed'])
      assert.deepEqual(turn && ['decision' in turn.outcome, 'response' in turn.outcome], [
        false,
        false,
      ])
      assert.equal(turn && 'message' in turn, false)
      assert.equal(turn && isApproved(turn.outcome as Sent), false)
      assert.equal(problem?.code, 'not_signed')
      assert.match(problem?.detail ?? '', why)
    })

  it('waits for what finds keys or what was asked', async () => {
    const away = async () => {
      throw new Error('the database is away')
    }
    for (const reviewers of [{ keys: away }, { expected: away }, { within: away }]) {
      const { status, drained, turn } = await received(ada.send(rights), reviewers)
      assert.equal(status, 204)
      assert.deepEqual([drained, turn], [{ handled: 0, failed: 1 }, undefined])
    }
  })

  it('is looked for by options that are known', () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ origins: origin }, /reviewers.origins as a list/],
      [{ origins: [] }, /reviewers.origins as a list/],
      [{ origins: ['portal.example.com'] }, /reviewers.origins as a list of origins such as/],
      [{ origins: [origin, `${origin}/`] }, /reviewers.origins as/],
      [{ origins: ['https://Portal.example.com'] }, /reviewers.origins as/],
      [{ origins: [`${origin}:443`] }, /reviewers.origins as/],
      [{ origins: ['http://portal.example.com'] }, /reviewers.origins as/],
      [{ origins: [`${origin}:99999`] }, /reviewers.origins as/],
      [{ origins: [`${origin}.`] }, /reviewers.origins as/],
      [{ origins: [`${origin}\\x`] }, /reviewers.origins as/],
      [{ origins: ['https://user:pw'] }, /reviewers.origins as/],
      [{ origins: ['https://münchen.example'] }, /reviewers.origins as/],
      [{ rpId: 'münchen.example' }, /reviewers.rpId as/],
      [{ rpId: 'portal.example.com.' }, /reviewers.rpId as/],
      [{ origins: ['https://portal.example.net'] }, /rpId as the host of one of its origins/],
      [{ rpId: 'al.example.com' }, /rpId as the host of one of its origins/],
      [{ rpId: origin }, /reviewers.rpId as the portal's host/],
      [{ rpId: 'portal.example.com:443' }, /reviewers.rpId as/],
      [{ keys: [{ ...ada.key, kid: undefined }] }, /reviewers.keys as/],
      [{ keys: [{ ...eve.key, crv: 'P-384' }] }, /reviewers.keys as a list of JWKs .*P-256/],
      [{ keys: [ada.key, { ...ada.key, until: '2026-01-01T00:00:00.000Z' }] }, /no kid twice/],
      [{ keys: [ada.key, eve.key, { ...eve.key, kid: ada.key.kid }] }, /no kid twice/],
      [{ refuseSynced: 'true' }, /reviewers.refuseSynced as/],
      [{ refusesynced: true }, /got refusesynced/],
      [{ maxAgeMs: 0 }, /reviewers.maxAgeMs as/],
      [{ maxAgeMs: '1000' }, /reviewers.maxAgeMs as/],
    ]
    const { expected, ...rest } = pinned
    const pins = { ...rest, tenantId: 'ten_1', applicationId: 'app_1' }
    const options = { keys: [createTestSigner().key], applicationId: 'a', inbox: memoryInbox() }
    for (const [change, why] of wrong) {
      assert.throws(() => pinReviewers({ ...pins, ...change } as never), why)
      const reviewers = { ...pinned, ...change } as never
      assert.throws(
        () => createSignedOutcomeHandler({ ...options, reviewers, onOutcome: () => {} }),
        why,
      )
    }
    // What finds what was asked is the handler's alone.
    assert.throws(() => pinReviewers({ ...pins, expected } as never), /got expected/)
    assert.throws(() => pinReviewers(undefined as never), /as an object/)
    for (const name of ['tenantId', 'applicationId'])
      assert.throws(
        () => pinReviewers({ ...pins, [name]: undefined } as never),
        new RegExp(`reviewers.${name} as`),
      )
  })

  it('is looked for by options that are all required', () => {
    for (const name of ['rpId', 'origins', 'keys', 'expected']) {
      const reviewers = { ...pinned, [name]: undefined } as never
      const options = { keys: [createTestSigner().key], applicationId: 'a', inbox: memoryInbox() }
      assert.throws(
        () => createSignedOutcomeHandler({ ...options, reviewers, onOutcome: () => {} }),
        new RegExp(`TypeError: expected reviewers.${name} as`),
      )
    }
  })
})
