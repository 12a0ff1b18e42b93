import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  askedDigest,
  challengeOf,
  faultOfStatement,
  resumeTokenDigest,
  saltedDigest,
  settingDigest,
  statementText,
  verifyAssertion,
} from '@countersign/core/webauthn'
import { signedCase } from './signed-case.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()

describe('a statement', () => {
  const { statement } = signedCase('EdDSA')

  it('has one canonical text, whose digest is the challenge', () => {
    const text =
      `{"applicationId":"app_1","askedDigest":"${'2'.repeat(64)}","caseVersion":2,` +
      '"checkpointId":"before-payment","commentDigest":null,"decision":"approved",' +
      '"issuedAt":"2026-11-26T10:00:00.000Z","memberId":"mem_1","nonce":"bm9uY2U",' +
      `"presentationDigest":"${'3'.repeat(64)}","responseDigest":null,` +
      `"resumeTokenDigest":"${'1'.repeat(64)}","reviewCaseId":"rc_1","sessionId":"session-1",` +
      '"statementType":"review-decision","statementVersion":"1.0","tenantId":"ten_1"}'
    assert.equal(statementText(statement), text)
    assert.equal(challengeOf(statement), sha256(text).toString('base64url'))
    const reversed = Object.fromEntries(Object.entries(statement).reverse())
    assert.equal(challengeOf(reversed as never), challengeOf(statement))
  })

  it('holds no half of a surrogate pair, for it would have no canonical text', () => {
    for (const [name, value] of Object.entries(statement))
      if (typeof value === 'string')
        assert.notEqual(faultOfStatement({ ...statement, [name]: `${value}\ud800` }), null, name)
    const { given } = signedCase('EdDSA')
    const halved = { ...given.signature.statement, nonce: '\udc00' }
    const verdict = verifyAssertion({
      ...given,
      signature: { ...given.signature, statement: halved },
    })
    assert.deepEqual(verdict.ok ? null : verdict.check, 'statement')
  })

  it('has exactly its members', () => {
    assert.equal(faultOfStatement(statement), null)
    for (const name of Object.keys(statement)) {
      const { [name as 'nonce']: _, ...rest } = statement
      assert.equal(faultOfStatement(rest), `expected the member ${name}`)
      assert.notEqual(faultOfStatement({ ...rest, [name]: ['a list'] }), null)
    }
    assert.notEqual(faultOfStatement({ ...statement, more: null }), null)
    assert.notEqual(faultOfStatement({ ...statement, caseVersion: 1.5 }), null)
    assert.notEqual(faultOfStatement({ ...statement, decision: 'expired' }), null)
    assert.notEqual(faultOfStatement(null), null)
  })
})

describe('the digests of a statement', () => {
  it('are of canonical JSON, and null where there is nothing', () => {
    const asked = askedDigest({ b: 1, a: 'pay' })
    assert.equal(asked, sha256('{"a":"pay","b":1}').toString('hex'))
    assert.equal(resumeTokenDigest('opaque'), sha256('"opaque"').toString('hex'))
    assert.equal(saltedDigest('ab', 'fine'), sha256('["ab","fine"]').toString('hex'))
    assert.deepEqual(
      [askedDigest(null), resumeTokenDigest(null), saltedDigest(null, null)],
      [null, null, null],
    )
  })
})

describe('the digest of what is set', () => {
  it('is that of the operation and all members of the value, those apart that are undefined', () => {
    const text = '{"operation":"signingModels.set","value":{"models":[{"aaguid":"a","label":"b"}]}}'
    const models = [{ label: 'b', aaguid: 'a' }]
    const digest = sha256(text).toString('hex')
    assert.equal(settingDigest('signingModels.set', { models }), digest)
    assert.equal(settingDigest('signingModels.set', { models, assertion: undefined }), digest)
    assert.notEqual(settingDigest('signInRule.set', { models }), digest)
    assert.notEqual(settingDigest('signingModels.set', { models: [] }), digest)
  })
})
